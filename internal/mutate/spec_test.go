package mutate

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/tcb/arm64"
	"verum.example/internal/tcb/contract"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// mixed is a contract with postconditions of every form, for what copies x to r and returns 1, in a state where y < 100.
func mixed(t testing.TB) contract.Contract {
	t.Helper()
	c, err := contract.New(contract.Func{
		Name:   "mixed",
		Params: []contract.Param{contract.Out("r", 16), contract.In("x", 16), contract.UintArg("y")},
		Result: "ok",
		Alias:  [][]string{{"r", "x"}},
		Requires: func(e contract.Env) []logic.Term {
			return []logic.Term{logic.Lt(e.Uint("y"), logic.N(100)), logic.Le(logic.N(0), e.Uint("y"))}
		},
		Ensures: func(e contract.Env) []logic.Term {
			r, x := e.After(), e.LE("x")
			return []logic.Term{
				logic.Lt(r.LE("r"), logic.Pow2(128)),
				logic.Cong(r.LE("r"), x, logic.N(1001)),
				logic.Imp(logic.Lt(x, logic.N(5)), logic.Eq(r.LE("r"), x)),
				logic.Eq(r.Word("r", 0), logic.Ite(logic.Eq(e.Arg("y"), logic.BVUint(64, 7)), e.Word("x", 0), e.Word("x", 0))),
				logic.Eq(logic.Ite(logic.Eq(e.Arg("y"), logic.BVUint(64, 7)), r.Word("r", 1), e.Word("x", 0)), logic.Ite(logic.Eq(e.Arg("y"), logic.BVUint(64, 7)), e.Word("x", 1), e.Word("x", 0))),
				logic.Eq(logic.Uint(e.Result()), logic.N(1)),
			}
		},
		Leaks:   func(e contract.Env) []logic.Term { return []logic.Term{e.Word("x", 1)} },
		Witness: func() map[string]*big.Int { return map[string]*big.Int{"x": big.NewInt(3), "y": big.NewInt(9)} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAlterations: the list is the same in every run, has all kinds and both alias patterns, and nothing twice. Each
// makes a trial contract that differs in that postcondition only.
func TestAlterations(t *testing.T) {
	c := mixed(t)
	as := Alterations(c)
	if !slices.Equal(as, Alterations(c)) {
		t.Error("the list differs from run to run")
	}
	var kinds [NumAlterationKinds]int
	texts := map[string]bool{}
	for _, a := range as {
		kinds[a.Kind]++
		if texts[a.Kind.String()+a.String()] {
			t.Errorf("%v twice", a)
		}
		texts[a.Kind.String()+a.String()] = true
		tr, err := a.Trial()
		if err != nil {
			t.Errorf("%v: %v", a, err)
			continue
		}
		if tr.Name() != "_mixed" || tr.Internal() || len(tr.Patterns()) != 2 || tr.Witness("x").Int64() != 3 {
			t.Errorf("%v: the contract %s", a, tr.Name())
		}
		for i, p := range tr.Patterns() {
			o := c.Patterns()[i]
			back := logic.NewSubst(rename(c, p, o))
			same := func(got, want []logic.Term, but int) {
				for j := range want {
					if g := back.Apply(got[j]); (g == want[j]) == (j == but) {
						t.Errorf("%v: pattern %d: %v instead of %v", a, i, g, want[j])
					}
				}
			}
			but := -1
			if i == a.Pattern {
				but = a.Ensures
			}
			same(p.Ensures(), o.Ensures(), but)
			same(p.Requires(), o.Requires(), -1)
			same(p.Leaks(), o.Leaks(), -1)
		}
	}
	for k, n := range kinds {
		if n == 0 {
			t.Errorf("no alteration of kind %v", AlterationKind(k))
		}
	}
	for _, want := range []string{
		"boundensures 1", "boundensures 2: premise wider by 1", "modulusensures 1: modulus +2", "signensures 1: negative of the value",
		"valueensures 5: value +1", "exchanged wordsensures 1: r'[0] and r'[1] exchanged", "exchanged wordsensures 1 with r = x: r'[0] and r[0] exchanged",
		"caseensures 4: branches on the left exchanged", "summandensures 1: without x[1]", "denialensures 0: denied",
	} {
		if found := slices.ContainsFunc(as, func(a Alteration) bool { return strings.HasPrefix(a.Kind.String()+a.String(), want) }); found == (want == "boundensures 1") {
			t.Errorf("%q is listed: %v", want, found)
		}
	}
}

// rename maps the variables of one pattern to those of another.
func rename(c contract.Contract, from, to contract.Pattern) map[logic.Term]logic.Term {
	sub := map[logic.Term]logic.Term{from.Result(): to.Result()}
	for _, q := range c.Params() {
		if q.Value {
			sub[from.Arg(q.Name)] = to.Arg(q.Name)
		}
		for i, v := range from.Before(q.Name) {
			sub[v] = to.Before(q.Name)[i]
		}
		for i, v := range from.After(q.Name) {
			sub[v] = to.After(q.Name)[i]
		}
	}
	return sub
}

// TestTrial: a contract that is copied but not altered is proved by the proof of the original, whatever regions it has.
func TestTrial(t *testing.T) {
	generation(t)
	for _, f := range functions(t) {
		p, pr, err := f.Program()
		if err != nil {
			t.Fatal(err)
		}
		if p.Contract, err = trial(p.Contract, -1, func(int, []logic.Term) {}); err != nil {
			t.Fatal(err)
		}
		v, err := machine.Verify(p, pr)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		} else if !strings.HasPrefix(v.Name(), "_") {
			t.Errorf("%s is called %s", f.Name, v.Name())
		}
	}
	routine, err := machine.Internal(machine.Func{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []machine.Contract{{}, routine} {
		if _, err := trial(c, -1, nil); err == nil {
			t.Errorf("%q is altered", c.Name())
		}
	}
}

// TestRunSpec: of the self-tests and some functions of a field, nearly all alterations are shown false, and those are
// refused. (Some say the same in another way, such as that a word of the output is a word of the input, exchanged.)
func TestRunSpec(t *testing.T) {
	fs := slices.DeleteFunc(functions(t), func(f Function) bool { return strings.HasPrefix(f.Name, "Select") })
	n, states := 150, 500
	if testing.Short() {
		n, states = 60, 300
	}
	seen, steps := 0, 0
	rep, err := RunSpec(fs, Options{N: n, Seed: 1, Jobs: 2, States: states, Limit: forAProof}, func(done, total int, r *SpecResult) {
		if done > total || done != steps+1 {
			t.Errorf("step %d of %d after step %d", done, total, steps)
		}
		steps = done
		if r != nil {
			seen++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	altered, shown := 0, 0
	names := map[string]bool{}
	for _, r := range rep.Results {
		names[r.Function] = true
		if r.Dropped {
			continue
		}
		altered++
		if r.Outcome != Refused && (r.False || r.Outcome != Accepted) || (r.Outcome == Refused) != (r.Err != nil) {
			t.Errorf("not refused: %v", r)
		}
		if r.False {
			shown++
		} else {
			t.Logf("%s: %s", r.Function, r.What)
		}
		if r.False == (r.State == "") || r.What == "" {
			t.Errorf("incomplete: %+v", r)
		}
	}
	if altered != n || seen != len(rep.Results) || len(names) != len(fs) || rep.Alterations < n || shown < n*9/10 {
		t.Errorf("%d alterations of %d functions, %d seen, of %d; %d shown false", altered, len(names), seen, rep.Alterations, shown)
	}

	// The same seed gives the same ones, with any number of jobs; another one gives others.
	text := func(seed uint64, jobs int) string {
		rep, err := RunSpec(fs[6:9], Options{N: 12, Seed: seed, Jobs: jobs, States: 100, Limit: forAProof}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := ""
		for _, r := range rep.Results {
			s += r.Function + ": " + r.What + " " + r.State + "\n"
		}
		return s
	}
	if a, b := text(3, 1), text(3, 3); a != b {
		t.Errorf("seed 3: %s\nand\n%s", a, b)
	}
	if text(3, 1) == text(4, 1) {
		t.Error("seeds 3 and 4 give the same")
	}
}

const forAProof = 1 << 36 // ns

// TestDropped: a precondition that the proof uses, one that it does not need, and one that only the proof needs.
func TestDropped(t *testing.T) {
	for _, tt := range []struct {
		op      string
		target  machine.Target
		number  int
		outcome Outcome
		needed  bool
	}{
		{"Mul", machine.ARM64, 0, Refused, true},    // b < m
		{"Add", machine.AMD64, 1, Refused, true},    // b < m
		{"Put", machine.AMD64, 0, Refused, true},    // i < 8: the access is outside
		{"CMov", machine.ARM64, 0, Accepted, false}, // a mask that is neither 0 nor ones counts as ones
		{"CNeg", machine.ARM64, 1, Refused, false},  // of the result for such a mask nothing is said but that it is below m
	} {
		f := function(t, tt.op, tt.target, "")
		rep, err := RunSpec([]Function{f}, Options{N: 1, Seed: 1, Jobs: 1, States: 2000, Limit: forAProof}, nil)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, r := range rep.Results {
			if r.Dropped && r.What == "requires "+string(rune('0'+tt.number))+" dropped" {
				found = true
				if r.Outcome != tt.outcome || r.False != tt.needed {
					t.Errorf("%s: %v", f.Name, r)
				}
			}
		}
		if !found {
			t.Errorf("%s: precondition %d is not dropped: %v", f.Name, tt.number, rep.Results)
		}
	}
}

// TestAcceptedAndFalse: if a proof accepted what a run shows false, that would be noticed.
func TestAcceptedAndFalse(t *testing.T) {
	f := function(t, "Triple", machine.ARM64, "")
	p := program(t, f)
	s := &specSession{session: session{fs: []Function{f}, originals: []machine.Program{p}, o: Options{Jobs: 1, States: 100}}, report: func(int, int, *SpecResult) {}}
	for n := range Alterations(p.Contract) {
		s.jobs = append(s.jobs, specJob{SpecResult: SpecResult{Outcome: Accepted}, number: n})
	}
	if err := s.run(nil); err != nil {
		t.Fatal(err)
	}
	for _, j := range s.jobs {
		if !j.False || j.Outcome != Wrong || !strings.Contains(j.String(), "UNSOUND") {
			t.Errorf("%v", j)
		}
	}
	// A function that does not meet its own contract is said to be the trouble.
	wrong, err := Alterations(p.Contract)[0].Trial()
	if err != nil {
		t.Fatal(err)
	}
	p.Contract, s.jobs = wrong, s.jobs[:1]
	s.originals[0] = p
	if err := s.run(nil); err == nil || !strings.Contains(err.Error(), "the postcondition itself does not hold") {
		t.Errorf("error %v", err)
	}
}

// TestRunSpecErrors: functions that are not proved, or not there.
func TestRunSpecErrors(t *testing.T) {
	weak := Function{"f/arm64/baseline", func() (machine.Program, machine.Prover, error) {
		return machine.Program{Target: machine.ARM64, Contract: mixed(t), Code: machine.Block{arm64.LoadArg{D: arm64.R0, Name: "r"}}}, nil, nil
	}}
	for _, tt := range []struct {
		fs   []Function
		n    int
		want string
	}{
		{nil, 1, "no function"},
		{[]Function{weak}, 0, "no alteration"},
		{[]Function{weak}, 1, "f/arm64/baseline is not proved: mixed (arm64)"},
		{[]Function{{"p", func() (machine.Program, machine.Prover, error) { panic("at the disco") }}}, 1, "panic: at the disco"},
	} {
		if _, err := RunSpec(tt.fs, Options{N: tt.n, Jobs: 1, States: 1, Limit: forAProof}, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

func TestShares(t *testing.T) {
	for _, tt := range []struct {
		n      int
		counts []int
		want   []int
	}{
		{0, []int{3, 3}, []int{0, 0}},
		{3, []int{3, 3}, []int{1, 2}},
		{5, []int{1, 9, 0}, []int{1, 4, 0}},
		{50, []int{1, 9, 0}, []int{1, 9, 0}},
	} {
		order := []int{2, 1, 0}[3-len(tt.counts):]
		if got := shares(tt.n, tt.counts, order); !slices.Equal(got, tt.want) {
			t.Errorf("%d of %v: %v, want %v", tt.n, tt.counts, got, tt.want)
		}
	}
	kinds := [][]int{{1, 2, 3, 4}, {5}, nil}
	if got := pickNumbers(kinds, 3, rand.New(rand.NewPCG(1, 1))); len(got) != 3 || !slices.Contains(got, 5) {
		t.Errorf("picked %v", got)
	}
}
