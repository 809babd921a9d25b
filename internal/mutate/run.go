package mutate

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"verum.example/internal/tcb/machine"
)

// Function is a function to mutate: code and proof, made anew by each call.
type Function struct {
	Name    string // for messages: function/target/variant
	Program func() (machine.Program, machine.Prover, error)
}

// Options say how many mutants there are and how they are treated.
type Options struct {
	N      int           // number of mutants
	Seed   uint64        // of mutants and states
	Jobs   int           // mutants at a time
	States int           // states on which an accepted mutant is run
	Limit  time.Duration // for the proof of one mutant
	// Progress, which may be nil, is called after each step, one call at a time, with what came of a mutant if the step
	// was about one.
	Progress func(done, total int, r *Result)
}

// Outcome is what came of a mutant.
type Outcome uint8

// The outcomes.
const (
	Refused   Outcome = iota + 1 // by the proof
	OverLimit                    // the proof took too long, which counts as refused
	Accepted                     // proved, and right on all states
	Wrong                        // proved, and wrong on a state: the trusted base is unsound
	Faulty                       // refused without naming function and target, or something else went wrong
)

func (o Outcome) String() string {
	switch o {
	case Refused:
		return "refused"
	case OverLimit:
		return "over the limit"
	case Accepted:
		return "accepted, harmless"
	case Wrong:
		return "ACCEPTED, UNSOUND"
	case Faulty:
		return "FAULTY"
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Result is a mutant and what came of it.
type Result struct {
	Function string
	Mutant   Mutant
	Outcome  Outcome
	// Err is why the proof refused it, in which state it is wrong, or what is faulty.
	Err      error
	Harmless Harmless // of an accepted one
	Time     time.Duration
}

func (r Result) String() string {
	s := fmt.Sprintf("%s: %v: %v: %v", r.Function, r.Mutant.Kind, r.Mutant, r.Outcome)
	switch {
	case r.Err != nil:
		s += ": " + r.Err.Error()
	case r.Outcome == Accepted:
		s += ": " + r.Harmless.String()
	}
	return s
}

// Report is the outcome of Run.
type Report struct {
	Results []Result // ordered by function
	Mutants int      // that there are, of all functions
	Invalid int      // changes that make no instruction that exists
}

// Run makes mutants of functions, the same number of each function if there are as many and, of one function, the same
// number of each kind, and proves and runs them. Its error is about itself: a function that is not proved, say. What
// came of mutants is in the report.
//
// Run opens generations of the logic's store: nothing else may, while it runs.
func Run(fs []Function, o Options) (*Report, error) {
	s := &session{fs: fs, o: o, originals: make([]machine.Program, len(fs))}
	rep := &Report{}
	for _, step := range []func(*Report) error{s.sample, s.proveOriginals, s.prove, s.check} {
		if err := step(rep); err != nil {
			return nil, fmt.Errorf("mutate: %w", err)
		}
	}
	for _, j := range s.jobs {
		rep.Results = append(rep.Results, j.Result)
	}
	return rep, nil
}

// session is a call of Run.
type session struct {
	fs        []Function
	o         Options
	originals []machine.Program
	jobs      []job
	done      int
	total     int
}

// job is a mutant under way.
type job struct {
	Result
	function int
	accepted machine.Verified
}

func (s *session) progress(r *Result) {
	s.done++
	if s.o.Progress != nil {
		s.o.Progress(s.done, s.total, r)
	}
}

// sample chooses the mutants. Functions get equal shares; what one has too few mutants for goes to the others.
func (s *session) sample(rep *Report) error {
	if len(s.fs) == 0 || s.o.N < 1 {
		return errors.New("no function, or no mutant of it")
	}
	counts := slices.Repeat([]int{-1}, len(s.fs)) // mutants of a function; −1 as long as it is not known
	quota, picked := make([]int, len(s.fs)), make([][]Mutant, len(s.fs))
	order := rand.New(rand.NewPCG(s.o.Seed, 0)).Perm(len(s.fs))
	for left := s.o.N; left > 0; {
		open := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return counts[i] >= 0 && quota[i] >= counts[i] })
		if len(open) == 0 {
			break
		}
		for n, i := range open {
			quota[i] += left / len(open)
			if n < left%len(open) {
				quota[i]++
			}
		}
		left = 0
		var failed error
		err := pool(len(s.fs), s.o.Jobs, 0, func(i int) func() {
			if quota[i] == len(picked[i]) {
				return func() {}
			}
			ms, invalid, err := s.enumerate(i)
			ps := pick(ms, quota[i], s.o.Seed, s.fs[i].Name)
			return func() {
				if err != nil {
					failed = errors.Join(failed, fmt.Errorf("%s: %w", s.fs[i].Name, err))
				}
				if counts[i] < 0 {
					rep.Mutants += len(ms)
					rep.Invalid += invalid
				}
				left += quota[i] - len(ps)
				counts[i], quota[i], picked[i] = len(ms), len(ps), ps
			}
		}, nil)
		if err = errors.Join(failed, err); err != nil {
			return err
		}
	}
	for i, f := range s.fs {
		for _, m := range picked[i] {
			s.jobs = append(s.jobs, job{Result: Result{Function: f.Name, Mutant: m}, function: i})
		}
	}
	if len(s.jobs) == 0 {
		return errors.New("there are no mutants")
	}
	return nil
}

// enumerate lists a function's mutants.
func (s *session) enumerate(i int) (ms []Mutant, invalid int, err error) {
	err = guard(func() error {
		p, _, err := s.fs[i].Program()
		if err == nil {
			ms, invalid, err = Enumerate(p)
		}
		return err
	})
	return ms, invalid, err
}

// pick chooses n of the mutants, as evenly as possible of all kinds. With a larger n it chooses the same ones and more.
func pick(ms []Mutant, n int, seed uint64, name string) []Mutant {
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(seed, h.Sum64()))
	kinds := make([][]Mutant, NumKinds)
	for _, m := range ms {
		kinds[m.Kind] = append(kinds[m.Kind], m)
	}
	rng.Shuffle(NumKinds, func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	var r []Mutant
	for len(r) < n && len(r) < len(ms) {
		for i, k := range kinds {
			if len(k) == 0 || len(r) == n {
				continue
			}
			j := rng.IntN(len(k))
			r = append(r, k[j])
			k[j] = k[len(k)-1]
			kinds[i] = k[:len(k)-1]
		}
	}
	return r
}

// guard makes a panic an error.
func guard(f func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	return f()
}

// proveOriginals: what a proof that does not hold says of mutants is worth nothing.
func (s *session) proveOriginals(*Report) error {
	var used []int
	for i, j := range s.jobs {
		if i == 0 || s.jobs[i-1].function != j.function {
			used = append(used, j.function)
		}
	}
	s.total = len(used) + len(s.jobs)
	var failed error
	err := pool(len(used), s.o.Jobs, 0, func(i int) func() {
		var v machine.Verified
		err := guard(func() error {
			p, pr, err := s.fs[used[i]].Program()
			if err == nil {
				v, err = machine.Verify(p, pr)
			}
			return err
		})
		return func() {
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s is not proved: %w", s.fs[used[i]].Name, err))
			}
			s.originals[used[i]] = v.Program()
			s.progress(nil)
		}
	}, nil)
	return errors.Join(failed, err)
}

// prove gives the mutants to the proofs.
func (s *session) prove(*Report) error {
	return pool(len(s.jobs), s.o.Jobs, s.o.Limit, func(i int) func() {
		j := s.jobs[i]
		start := time.Now()
		var refusal error
		var p machine.Program
		fault := guard(func() error {
			orig, pr, err := s.fs[j.function].Program()
			if err != nil {
				return err
			}
			if p, err = j.Mutant.Apply(orig); err == nil {
				j.accepted, refusal = machine.Verify(p, pr)
			}
			return err
		})
		j.Time = time.Since(start)
		switch {
		case fault != nil:
			j.Outcome, j.Err = Faulty, fault
		case refusal != nil:
			j.Outcome, j.Err = Refused, refusal
			if why := anonymous(refusal, p); why != "" {
				j.Outcome, j.Err = Faulty, fmt.Errorf("the message of the refusal %s: %w", why, refusal)
			}
		}
		return func() {
			s.jobs[i] = j
			if j.Outcome != 0 {
				s.progress(&s.jobs[i].Result)
			}
		}
	}, func(i int) {
		s.jobs[i].Outcome, s.jobs[i].Time = OverLimit, s.o.Limit
		s.progress(&s.jobs[i].Result)
	})
}

// anonymous says what is missing in the message of a refusal: the function, the target, or what is wrong and where.
func anonymous(err error, p machine.Program) string {
	rest, ok := strings.CutPrefix(err.Error(), p.Contract.Name()+" ("+p.Target.String())
	if !ok {
		return "does not begin with function and target"
	}
	_, rest, ok = strings.Cut(rest, "): ")
	if !ok || len(rest) < 8 {
		return "does not say what is refused"
	}
	return ""
}

// check runs the accepted mutants.
func (s *session) check(*Report) error {
	var accepted []int
	for i, j := range s.jobs {
		if j.Outcome == 0 {
			accepted = append(accepted, i)
		}
	}
	return pool(len(accepted), s.o.Jobs, 0, func(n int) func() {
		i := accepted[n]
		j := s.jobs[i]
		var h Harmless
		err := guard(func() (err error) {
			h, err = Check(j.accepted.Program(), s.originals[j.function], s.o.States, s.o.Seed)
			return err
		})
		return func() {
			j := &s.jobs[i]
			j.Harmless, j.Err, j.Outcome = h, err, Accepted
			if wrong := new(Violation); errors.As(err, &wrong) {
				j.Outcome = Wrong
			} else if err != nil {
				j.Outcome = Faulty
			}
			s.progress(&j.Result)
		}
	}, nil)
}
