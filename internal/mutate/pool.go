package mutate

import (
	"fmt"
	"runtime/metrics"
	"sync"
	"time"

	"verum.example/internal/tcb/logic"
)

// Bounds of memory. When the terms have become that many, no task is started before those under way have ended and
// their terms are dropped; when the heap has become that large, tasks are stopped.
const (
	maxTerms = 2 << 20
	maxHeap  = 5 << 29
)

// grace is how long a stopped task may take to notice it.
const grace = time.Minute

// pool runs tasks, jobs at a time, in generations of the logic's store. task does the work and returns what to do with
// the result, which is called under a lock.
//
// A task that takes longer than the limit (0 for none) or too much memory is stopped, and over is called instead, under
// the lock, too. It is stopped by dropping the generation: whatever it does with terms fails from then on. The tasks
// that ran beside it suffer the same, and are started again.
func pool(tasks, jobs int, limit time.Duration, task func(i int) (commit func()), over func(i int)) error {
	p := &tasksUnderWay{jobs: max(jobs, 1), limit: limit, task: task, over: over}
	for i := range tasks {
		p.queue = append(p.queue, i)
	}
	for len(p.queue)+len(p.alone) > 0 {
		if err := p.generation(); err != nil {
			return err
		}
	}
	return nil
}

type tasksUnderWay struct {
	jobs  int
	limit time.Duration
	task  func(i int) func()
	over  func(i int)

	mu      sync.Mutex
	queue   []int
	alone   []int // to be run one at a time: they were stopped for want of memory
	running map[int]time.Time
	stopped bool // the generation was dropped
}

// take is the next task.
func (p *tasksUnderWay) take() (i int, ok bool) {
	from := &p.queue
	if len(p.alone) > 0 {
		from = &p.alone
	}
	if p.stopped || len(*from) == 0 {
		return 0, false
	}
	i, *from = (*from)[0], (*from)[1:]
	p.running[i] = time.Now()
	return i, true
}

// generation runs tasks until there are none left, too many terms, or one is stopped.
func (p *tasksUnderWay) generation() error {
	g, err := logic.NewGeneration()
	if err != nil {
		return err
	}
	defer g.Drop()
	p.running, p.stopped = map[int]time.Time{}, false
	limit := logic.NumTerms() + maxTerms
	jobs := p.jobs
	if len(p.alone) > 0 {
		jobs = 1
	}
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for first := true; first || logic.NumTerms() < limit; first = false {
				p.mu.Lock()
				i, ok := p.take()
				p.mu.Unlock()
				if !ok {
					return
				}
				commit := p.task(i)
				p.mu.Lock()
				if !p.stopped {
					delete(p.running, i)
					commit()
				}
				p.mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-tick.C:
			if !p.watch(g) {
				continue
			}
			select {
			case <-done:
				return nil
			case <-time.After(grace):
				return fmt.Errorf("a proof was stopped and goes on")
			}
		}
	}
}

// watch stops the generation if it must, and says whether it did.
func (p *tasksUnderWay) watch(g logic.Generation) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := map[int]bool{}
	for i, start := range p.running {
		late[i] = p.limit > 0 && time.Since(start) > p.limit
	}
	heap := heapSize() > maxHeap && p.over != nil
	stop := heap
	for _, l := range late {
		stop = stop || l
	}
	if !stop {
		return false
	}
	p.stopped = true
	g.Drop()
	for i := range p.running {
		switch {
		case late[i], heap && len(p.running) == 1:
			p.over(i)
		case heap:
			p.alone = append(p.alone, i)
		default:
			p.queue = append([]int{i}, p.queue...)
		}
	}
	return true
}

// heapSize is the size of the heap in bytes.
func heapSize() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
