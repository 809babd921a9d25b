package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"verum.example/internal/registry"
	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/kernel"
)

// proveFlags are the flags of every command that proves.
type proveFlags struct {
	jobs    int
	verbose bool
}

func (f *proveFlags) define(fs *flag.FlagSet) {
	fs.IntVar(&f.jobs, "j", runtime.GOMAXPROCS(0), "prove `n` functions at a time")
	fs.BoolVar(&f.verbose, "v", false, "say on standard error when a proof ends")
}

func (f *proveFlags) check() error {
	if f.jobs < 1 {
		return usagef("-j %d: at least one function is proved at a time", f.jobs)
	}
	// The kernel takes what is no number for "off". A run that was asked to evaluate theorems must not look like one.
	if every := os.Getenv("VERUM_AUDIT"); every != "" {
		if n, err := strconv.ParseInt(every, 10, 64); err != nil || n < 1 {
			return usagef("VERUM_AUDIT=%q: it is no number of theorems, 1 or more", every)
		}
	}
	return nil
}

// proofs is the outcome of proving.
type proofs struct {
	results    []registry.Result
	jobs       int
	inferences int64
	time       time.Duration
}

// prove proves the entries, shows progress, and says what failed. Then the error is errFailed.
func (e *env) prove(entries []registry.Entry, f proveFlags) (*proofs, error) {
	p := &progress{w: e.stderr, live: e.terminal && !f.verbose, verbose: f.verbose, start: time.Now()}
	stop := p.tick()
	before := kernel.Inferences()
	results, err := registry.ProveAll(entries, f.jobs, p.event)
	stop()
	if err != nil {
		return nil, err
	}
	r := &proofs{results, min(f.jobs, len(entries)), kernel.Inferences() - before, time.Since(p.start)}
	if failed := r.failed(); len(failed) > 0 {
		for _, x := range failed {
			fmt.Fprintf(e.stderr, "NOT PROVED %v\n", x.Err)
		}
		return r, errFailed
	}
	return r, nil
}

func (p *proofs) failed() []registry.Result {
	return slices.DeleteFunc(slices.Clone(p.results), func(r registry.Result) bool { return r.Err == nil })
}

// axioms lists the axioms that something rests on.
func (p *proofs) axioms() []string {
	var all []string
	for _, r := range p.results {
		all = append(all, r.Verified.Axioms()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// outputs emits the modules that were proved completely.
func (p *proofs) outputs() ([]emit.Output, error) {
	var outs []emit.Output
	names, verified := registry.Modules(p.results)
	for _, m := range names {
		all := 0
		for _, e := range registry.All() {
			if e.Module == m {
				all++
			}
		}
		if len(verified[m]) < all {
			continue
		}
		o, err := emit.Module(m, verified[m])
		if err != nil {
			return nil, err
		}
		outs = append(outs, o)
	}
	return outs, nil
}

// progress shows proofs as they are made.
type progress struct {
	w             io.Writer
	live, verbose bool
	start         time.Time

	mu          sync.Mutex
	running     []string
	done, total int
}

func (p *progress) event(ev registry.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = ev.Done, ev.Total
	name := ev.Entry.String()
	if ev.Result == nil {
		p.running = append(p.running, name)
	} else {
		p.running = slices.DeleteFunc(p.running, func(s string) bool { return s == name })
		if p.verbose {
			status := "proved"
			if ev.Result.Err != nil {
				status = "NOT PROVED"
			}
			fmt.Fprintf(p.w, "[%d/%d] %s %s in %s\n", ev.Done, ev.Total, name, status, seconds(ev.Result.Time))
		}
	}
	p.draw()
}

// draw writes the line of a terminal over.
func (p *progress) draw() {
	if !p.live || p.total == 0 {
		return
	}
	line := []rune(fmt.Sprintf("proving %d/%d  %s  %s", p.done, p.total, seconds(time.Since(p.start)), strings.Join(p.running, ", ")))
	if len(line) > 79 {
		line = append(line[:78], '…')
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", string(line))
}

// tick redraws the line until stop is called, which removes it.
func (p *progress) tick() (stop func()) {
	if !p.live {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		t := time.NewTicker(200 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				p.mu.Lock()
				p.draw()
				p.mu.Unlock()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
