package mutate

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// SpecResult is an altered contract, and what came of it.
type SpecResult struct {
	Function string
	// Kind and What describe the alteration of a postcondition.
	Kind AlterationKind
	What string
	// Dropped tells that a precondition was dropped instead.
	Dropped bool
	// Outcome is what the proof of the function, with the code as it is, made of the altered contract: Refused, OverLimit,
	// Accepted, Wrong (accepted, and False) or Faulty.
	Outcome Outcome
	// False tells that a run of the code, in a state that meets the precondition of the altered contract, does not meet its
	// postcondition, or fails: the alteration is wrong indeed, or the dropped precondition is needed.
	False bool
	State string // in which it does
	Err   error  // why the proof refused it, or what is faulty
}

func (r SpecResult) String() string {
	s := fmt.Sprintf("%s: %s", r.Function, r.What)
	if r.Outcome == Accepted {
		s += ": accepted"
	} else {
		s += ": " + r.Outcome.String()
	}
	switch {
	case r.False:
		s += ", shown false in the state " + r.State
	case r.Dropped:
		s += ", no state shows that it is needed"
	default:
		s += ", no state shows that it is false"
	}
	if r.Err != nil {
		s += ": " + r.Err.Error()
	}
	return s
}

// SpecReport is the outcome of RunSpec.
type SpecReport struct {
	Results     []SpecResult // ordered by function
	Alterations int          // that there are, of all functions
}

// RunSpec alters contracts of functions and gives them, with the code as it is, to the proofs: each postcondition in
// many ways, of which it samples o.N, the same number of each function if there are as many, and each precondition in
// one, without it. The alterations are trial contracts (machine.Trial).
//
// That a proof refuses an alteration says something only if it is one: so the code is run on up to o.States states, and
// in one of them the altered contract should not hold.
//
// progress, which may be nil, is called after each step, one call at a time. As Run, RunSpec opens generations.
func RunSpec(fs []Function, o Options, progress func(done, total int, r *SpecResult)) (*SpecReport, error) {
	if progress == nil {
		progress = func(int, int, *SpecResult) {}
	}
	s := &specSession{session: session{fs: fs, o: o, originals: make([]machine.Program, len(fs))}, report: progress}
	rep := &SpecReport{}
	for _, step := range []func(*SpecReport) error{s.sample, s.prove, s.run} {
		if err := step(rep); err != nil {
			return nil, fmt.Errorf("mutate: %w", err)
		}
	}
	for _, j := range s.jobs {
		rep.Results = append(rep.Results, j.SpecResult)
	}
	return rep, nil
}

type specSession struct {
	session
	jobs   []specJob
	report func(done, total int, r *SpecResult)
}

// specJob is an altered contract under way.
type specJob struct {
	SpecResult
	function int
	number   int // of the alteration, or of the precondition
	ensures  int // number of the altered postcondition
}

func (s *specSession) step(r *SpecResult) {
	s.done++
	s.report(s.done, s.total, r)
}

// sample chooses the alterations.
func (s *specSession) sample(rep *SpecReport) error {
	if len(s.fs) == 0 || s.o.N < 1 {
		return errors.New("no function, or no alteration of it")
	}
	kinds := make([][][]int, len(s.fs)) // of each function and kind, the numbers of alterations
	requires := make([]int, len(s.fs))
	var failed error
	err := pool(len(s.fs), s.o.Jobs, 0, func(i int) func() {
		var numbers [][]int
		n := 0
		err := guard(func() error {
			p, _, err := s.fs[i].Program()
			if err != nil {
				return err
			}
			numbers = make([][]int, NumAlterationKinds)
			for j, a := range Alterations(p.Contract) {
				numbers[a.Kind] = append(numbers[a.Kind], j)
			}
			for _, pat := range p.Contract.Patterns() {
				n = max(n, len(pat.Requires()))
			}
			return nil
		})
		return func() {
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", s.fs[i].Name, err))
			}
			kinds[i], requires[i] = numbers, n
		}
	}, nil)
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	counts := make([]int, len(s.fs))
	for i, k := range kinds {
		for _, numbers := range k {
			counts[i] += len(numbers)
		}
		rep.Alterations += counts[i]
	}
	quota := shares(s.o.N, counts, rand.New(rand.NewPCG(s.o.Seed, 0)).Perm(len(s.fs)))
	for i, f := range s.fs {
		for n := range requires[i] {
			s.jobs = append(s.jobs, specJob{SpecResult: SpecResult{Function: f.Name, Dropped: true, What: fmt.Sprintf("requires %d dropped", n)}, function: i, number: n})
		}
		h := fnv.New64a()
		h.Write([]byte(f.Name))
		for _, n := range pickNumbers(kinds[i], quota[i], rand.New(rand.NewPCG(s.o.Seed, h.Sum64()))) {
			s.jobs = append(s.jobs, specJob{SpecResult: SpecResult{Function: f.Name}, function: i, number: n})
		}
	}
	s.total = 2*len(s.fs) + len(s.jobs)
	return nil
}

// shares divides n evenly: nobody gets more than there is for him, and who is first in order gets what is left over.
func shares(n int, counts, order []int) []int {
	r := make([]int, len(counts))
	for given := true; n > 0 && given; {
		given = false
		for _, i := range order {
			if n > 0 && r[i] < counts[i] {
				r[i]++
				n--
				given = true
			}
		}
	}
	return r
}

// pickNumbers chooses n numbers, as evenly as possible of all kinds.
func pickNumbers(kinds [][]int, n int, rng *rand.Rand) (r []int) {
	for _, k := range kinds {
		rng.Shuffle(len(k), func(i, j int) { k[i], k[j] = k[j], k[i] })
	}
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for round := 0; len(r) < n; round++ {
		for _, k := range kinds {
			if round < len(k) && len(r) < n {
				r = append(r, k[round])
			}
		}
	}
	return r
}

// alter makes the altered contract of a job.
func (j *specJob) alter(c machine.Contract) (machine.Contract, error) {
	if j.Dropped {
		return trial(c, j.number, func(int, []logic.Term) {})
	}
	a, err := j.alteration(c)
	if err != nil {
		return machine.Contract{}, err
	}
	return a.Trial()
}

func (j *specJob) alteration(c machine.Contract) (Alteration, error) {
	as := Alterations(c)
	if j.number >= len(as) {
		return Alteration{}, errors.New("there are not as many alterations as before")
	}
	a := as[j.number]
	j.Kind, j.What, j.ensures = a.Kind, a.String(), a.Ensures
	return a, nil
}

// prove gives the altered contracts to the proofs, after the original ones: what a proof that does not hold says of
// alterations is worth nothing.
func (s *specSession) prove(*SpecReport) error {
	var failed error
	err := pool(len(s.fs), s.o.Jobs, 0, func(i int) func() {
		var v machine.Verified
		err := guard(func() error {
			p, pr, err := s.fs[i].Program()
			if err == nil {
				v, err = machine.Verify(p, pr)
			}
			return err
		})
		return func() {
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s is not proved: %w", s.fs[i].Name, err))
			}
			s.originals[i] = v.Program()
			s.step(nil)
		}
	}, nil)
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	return pool(len(s.jobs), s.o.Jobs, s.o.Limit, func(i int) func() {
		j := s.jobs[i]
		var refusal error
		fault := guard(func() error {
			p, pr, err := s.fs[j.function].Program()
			if err != nil {
				return err
			}
			if p.Contract, err = j.alter(p.Contract); err == nil {
				_, refusal = machine.Verify(p, pr)
			}
			if err != nil || refusal == nil {
				return err
			}
			if why := anonymous(refusal, p); why != "" {
				return fmt.Errorf("the message of the refusal %s: %w", why, refusal)
			}
			if !j.Dropped && !strings.Contains(refusal.Error(), fmt.Sprintf("ensures %d", j.ensures)) {
				return fmt.Errorf("the refusal does not name the altered postcondition, number %d: %w", j.ensures, refusal)
			}
			return nil
		})
		j.Outcome, j.Err = Accepted, refusal
		if refusal != nil {
			j.Outcome = Refused
		}
		if fault != nil {
			j.Outcome, j.Err = Faulty, fault
		}
		return func() {
			s.jobs[i] = j
			s.step(&s.jobs[i].SpecResult)
		}
	}, func(i int) {
		s.jobs[i].Outcome = OverLimit
		s.step(&s.jobs[i].SpecResult)
	})
}

// run runs the code of each function to see that its altered contracts do not hold.
func (s *specSession) run(*SpecReport) error {
	of := make([][]int, len(s.fs))
	for i, j := range s.jobs {
		if j.Outcome != Faulty {
			of[j.function] = append(of[j.function], i)
		}
	}
	var failed error
	err := pool(len(s.fs), s.o.Jobs, 0, func(i int) func() {
		var done []specJob
		for _, n := range of[i] {
			done = append(done, s.jobs[n])
		}
		err := guard(func() error { return s.refute(s.originals[i], done) })
		return func() {
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", s.fs[i].Name, err))
			}
			for k, n := range of[i] {
				s.jobs[n] = done[k]
				if done[k].False && done[k].Outcome == Accepted {
					s.jobs[n].Outcome = Wrong
				}
			}
			s.step(nil)
		}
	}, nil)
	return errors.Join(failed, err)
}

// refute looks for states in which the altered contracts of one function do not hold.
func (s *specSession) refute(p machine.Program, jobs []specJob) error {
	byPattern := map[int][]int{}
	terms := make([]logic.Term, len(jobs))
	for i := range jobs {
		if jobs[i].Dropped {
			if err := s.violate(p, &jobs[i]); err != nil {
				return err
			}
			continue
		}
		a, err := jobs[i].alteration(p.Contract)
		if err != nil {
			return err
		}
		terms[i] = a.Term
		byPattern[a.Pattern] = append(byPattern[a.Pattern], i)
	}
	for pi, pat := range p.Contract.Patterns() {
		is := byPattern[pi]
		if len(is) == 0 {
			continue
		}
		var ts []logic.Term
		for _, i := range is {
			ts = append(ts, terms[i])
		}
		r, err := newRunner(p, p.Contract, pat, append(ts, pat.Ensures()...), rand.New(rand.NewPCG(s.o.Seed, uint64(pi))))
		if err != nil {
			return err
		}
		left := len(is)
		for n := 0; n < r.states(s.o.States) && left > 0; n++ {
			holds, err := r.next(n)
			if err != nil {
				return err
			}
			if slices.Contains(holds[len(is):], false) {
				return fmt.Errorf("the postcondition itself does not hold in the state %s", r.describe())
			}
			for k, i := range is {
				if j := &jobs[i]; !holds[k] && !j.False {
					j.False, j.State = true, r.describe()
					left--
					if err := r.confirm(j); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// violate looks for a state that meets all preconditions but the one that the job drops, and in which the code fails or
// does not meet the postcondition.
func (s *specSession) violate(p machine.Program, j *specJob) error {
	c, err := j.alter(p.Contract)
	if err != nil {
		return err
	}
	for pi, pat := range c.Patterns() {
		r, err := newRunner(p, c, pat, pat.Ensures(), rand.New(rand.NewPCG(s.o.Seed, uint64(pi))))
		if err != nil {
			return err
		}
		for n := range r.states(s.o.States / len(c.Patterns())) {
			holds, err := r.next(n)
			if err == nil && !slices.Contains(holds, false) {
				continue
			}
			if failure := new(runFailure); err != nil && !errors.As(err, &failure) {
				return err
			}
			j.False, j.State = true, r.describe()
			return r.confirm(j)
		}
	}
	return nil
}

// runner runs a program in states that meet a contract's precondition under one alias pattern, and evaluates formulas
// after it.
type runner struct {
	*space
	m        *vm
	post     *slots
	steps    []step
	at       []int
	slow     bool
	residues []*big.Int
}

func newRunner(p machine.Program, c machine.Contract, pat pattern, fs []logic.Term, rng *rand.Rand) (*runner, error) {
	s, err := newSpace(c, pat, rng)
	if err != nil {
		return nil, err
	}
	r := &runner{space: s, residues: residues(pat)}
	if r.m, err = newVM(p); err != nil {
		return nil, err
	}
	post := newCompiler()
	post.variable = s.variable(post)
	for _, f := range fs {
		i, err := post.term(f)
		if err != nil {
			return nil, err
		}
		r.at = append(r.at, i)
	}
	r.post, r.steps, r.slow = post.slots(), post.steps, post.slow
	return r, nil
}

// states is how many states there are of n that are asked for.
func (r *runner) states(n int) int {
	if r.slow {
		return (n + slowPart - 1) / slowPart
	}
	return n
}

// runFailure is the error of a run that fails.
type runFailure struct{ error }

// next makes the n-th state, runs the program, and says which formulas hold.
func (r *runner) next(n int) ([]bool, error) {
	if n == 0 {
		r.witness()
	} else if err := r.space.next(false); err != nil {
		return nil, err
	}
	if n%2 == 1 {
		r.special()
	}
	if ok, err := r.meets(); !ok || err != nil {
		return nil, fmt.Errorf("the state %s does not meet the precondition, or it cannot be evaluated: %w", r.describe(), errors.Join(err))
	}
	if err := r.m.start(r.space); err != nil {
		return nil, &runFailure{err}
	}
	r.out = r.m
	if err := r.post.run(r.steps); err != nil {
		return nil, err
	}
	holds := make([]bool, len(r.at))
	for i, at := range r.at {
		holds[i] = r.post.w[at].lo != 0
	}
	return holds, nil
}

// special gives regions the values at which arithmetic modulo the contract's constants comes near its bounds: a product
// that is −1, say.
func (r *runner) special() {
	if len(r.residues) == 0 {
		return
	}
	for i, q := range r.params {
		n := len(r.cur.mem[i])
		v := r.residues[r.rng.IntN(len(r.residues))]
		if r.region[i] != i || n == 0 || v.BitLen() > 8*n || r.rng.IntN(4) == 0 {
			continue
		}
		old := r.cur
		r.cur = old.clone()
		b := v.FillBytes(make([]byte, n))
		if q.Elem != 1 || r.rng.IntN(2) == 0 {
			slices.Reverse(b)
		}
		r.cur.mem[i] = b
		if ok, err := r.meets(); !ok || err != nil {
			r.cur = old
		}
	}
}

// residues lists, for each odd modulus in the contract, small numbers and powers of R = 2^64k modulo it, and their
// negatives.
func residues(pat pattern) (rs []*big.Int) {
	for _, m := range constants(slices.Concat(pat.Requires(), pat.Ensures())) {
		if m.Bit(0) == 0 || m.BitLen() < 32 {
			continue
		}
		r := new(big.Int).Lsh(one, uint((m.BitLen()+63)/64*64))
		inverse := new(big.Int).ModInverse(r, m)
		for _, v := range []*big.Int{big.NewInt(1), big.NewInt(2), r, new(big.Int).Mul(r, r), inverse} {
			v = new(big.Int).Mod(v, m)
			rs = append(rs, v, new(big.Int).Sub(m, v))
		}
	}
	return rs
}

// describe prints the state.
func (r *runner) describe() string { return (&checker{space: r.space}).describe(r.cur) }

// confirm sees the counterexample with machine.Run and machine.Check, which are slow and trusted.
func (r *runner) confirm(j *specJob) error {
	c := r.m.u.prog.Contract
	altered, err := j.alter(c)
	if err != nil {
		return err
	}
	in := machine.Input{Aliased: r.pat.Names(), Mem: map[string][]byte{}, Args: map[string]uint64{}}
	for i, q := range r.params {
		switch {
		case q.Value:
			in.Args[q.Name] = r.cur.args[i]
		case q.Mode.Reads():
			in.Mem[q.Name] = r.cur.mem[r.region[i]]
		}
	}
	if err := machine.Check(altered, in, nil); err != nil {
		return fmt.Errorf("%s: the state %s: %w", j.What, j.State, err)
	}
	out, err := machine.Run(r.m.u.prog, in)
	if err == nil {
		err = machine.Check(altered, in, &out)
		if err != nil && !strings.Contains(err.Error(), "does not hold") {
			return err
		}
	}
	if err == nil {
		return fmt.Errorf("%s: machine.Check finds nothing wrong in the state %s", j.What, j.State)
	}
	return nil
}
