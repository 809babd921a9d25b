package registry

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"verum.example/internal/tcb/kernel"
	"verum.example/internal/tcb/logic"
	"verum.example/internal/tcb/machine"
)

// Result is what became of an entry.
type Result struct {
	Entry    Entry
	Verified machine.Verified // the zero Verified if Err is not nil
	Err      error
	Time     time.Duration
	// Inferences is the number of theorems that the proof made, or −1: the kernel counts them for the whole process, so
	// it is known only if nothing else ran.
	Inferences int64
}

// Event tells that a proof starts or has ended.
type Event struct {
	Entry  Entry
	Result *Result // nil at the start
	Done   int     // results so far
	Total  int
}

// maxTerms is the number of terms in the store from which on no proof is started before those under way have ended and
// their terms are dropped. A term takes some hundred bytes.
const maxTerms = 2 << 20

// ProveAll runs the proofs of the entries, as many at a time as jobs says (at least one), and returns their results in
// the entries' order. progress, which may be nil, is called for each event, one call at a time.
//
// Only one ProveAll runs at a time. Its error is about itself: that of a proof is in its Result.
func ProveAll(entries []Entry, jobs int, progress func(Event)) ([]Result, error) {
	return proveAll(entries, max(jobs, 1), maxTerms, progress)
}

func proveAll(entries []Entry, jobs, terms int, progress func(Event)) ([]Result, error) {
	p := &prover{entries: entries, results: make([]Result, len(entries)), alone: jobs == 1, progress: progress}
	for p.next < len(entries) {
		if err := p.generation(jobs, terms); err != nil {
			return nil, fmt.Errorf("registry: %w", err)
		}
	}
	return p.results, nil
}

type prover struct {
	entries  []Entry
	results  []Result
	alone    bool
	progress func(Event)

	mu   sync.Mutex
	next int // entry to start next
	done int
}

// generation runs proofs until there are none left, or too many terms.
func (p *prover) generation(jobs, terms int) error {
	g, err := logic.NewGeneration()
	if err != nil {
		return err
	}
	defer g.Drop()
	limit := logic.NumTerms() + terms
	first := p.next
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for {
				p.mu.Lock()
				i := p.next
				if i == len(p.entries) || i > first && logic.NumTerms() > limit {
					p.mu.Unlock()
					return
				}
				p.next++
				// It stays if the proof ends its goroutine (runtime.Goexit), and this one with it.
				p.results[i] = Result{Entry: p.entries[i], Inferences: -1, Err: fmt.Errorf("%v: the proof did not return", p.entries[i])}
				p.report(Event{Entry: p.entries[i]})
				p.mu.Unlock()

				r := prove(p.entries[i], p.alone)

				p.mu.Lock()
				p.results[i] = r
				p.done++
				p.report(Event{Entry: r.Entry, Result: &r})
				p.mu.Unlock()
			}
		})
	}
	wg.Wait()
	return nil
}

func (p *prover) report(e Event) {
	if p.progress != nil {
		e.Done, e.Total = p.done, len(p.entries)
		p.progress(e)
	}
}

func prove(e Entry, alone bool) Result {
	r := Result{Entry: e, Inferences: -1}
	start, before := time.Now(), kernel.Inferences()
	r.Verified, r.Err = attempt(e)
	r.Time = time.Since(start)
	if alone {
		r.Inferences = kernel.Inferences() - before
	}
	if r.Err != nil {
		r.Verified = machine.Verified{}
		r.Err = fmt.Errorf("%v: %w", e, r.Err)
	}
	return r
}

// attempt runs a proof and checks that it is about the entry. A panic is an error.
func attempt(e Entry) (v machine.Verified, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("the proof panics: %v\n%s", x, debug.Stack())
		}
	}()
	v, err = e.Prove()
	switch {
	case err != nil:
		return v, err
	case v.IsZero():
		return v, errors.New("the proof gives the zero Verified")
	case v.Contract().Internal():
		return v, errors.New("the proof is of a routine: its contract is the proof's own")
	case v.Name() != e.Name || v.Target() != e.Target || v.Variant() != e.Variant:
		return v, fmt.Errorf("the proof is of %s (%v)", v.Symbol(), v.Target())
	}
	return v, nil
}

// Modules groups what was proved by module, in the order of the results. A module of which a proof failed is left out.
func Modules(results []Result) (names []string, verified map[string][]machine.Verified) {
	verified = map[string][]machine.Verified{}
	failed := map[string]bool{"": true}
	for _, r := range results {
		failed[r.Entry.Module] = failed[r.Entry.Module] || r.Err != nil
	}
	for _, r := range results {
		m := r.Entry.Module
		if failed[m] {
			continue
		}
		if verified[m] == nil {
			names = append(names, m)
		}
		verified[m] = append(verified[m], r.Verified)
	}
	return names, verified
}
