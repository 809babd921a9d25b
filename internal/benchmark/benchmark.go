// Package benchmark is what the nested module bench and "verum bench" have in common: the report of a run, statistics of
// samples, the comparison of two programs, charts. It measures nothing itself.
//
// Times are compared by their minima. A shared machine adds time and never takes any away, so that the minimum of many
// samples, taken in turn with those of the contenders, is what depends least on whoever else is there.
package benchmark

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

// Reference is the contender that ratios refer to: Go's standard library.
const Reference = "std"

// Own is the contender that is Verum.
const Own = "verum"

// A Report is the outcome of a run of the program bench.
type Report struct {
	Go   string `json:"go"` // version
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPU  string `json:"cpu"`
	// Implementation is the code of Verum that ran, such as amd64-bmi2.
	Implementation string   `json:"implementation"`
	Samples        int      `json:"samples"` // of each contender
	Inputs         int      `json:"inputs"`  // a sample is one call with each of so many inputs
	Peers          []Peer   `json:"peers"`
	Absent         []Peer   `json:"absent,omitempty"`
	Results        []Result `json:"results"`
}

// A Peer is a contender.
type Peer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Note is a reservation: that the code is not constant-time, say; or why the peer is absent.
	Note string `json:"note,omitempty"`
}

// A Result is what one contender needs for an operation.
type Result struct {
	Operation string  `json:"operation"` // such as p256-ecdh
	Peer      string  `json:"peer"`
	Min       float64 `json:"min"` // nanoseconds of one call
	Median    float64 `json:"median"`
	// Allocs is the number of allocations of Go in a call.
	Allocs float64 `json:"allocs"`
}

// Read reads a report and checks that it is one.
func Read(r io.Reader) (*Report, error) {
	report := new(Report)
	d := json.NewDecoder(r)
	if err := d.Decode(report); err != nil {
		return nil, fmt.Errorf("benchmark: no report: %w", err)
	}
	seen := map[[2]string]bool{}
	for _, x := range report.Results {
		key := [2]string{x.Operation, x.Peer}
		if x.Operation == "" || x.Peer == "" || seen[key] || !time(x.Min) || !time(x.Median) || x.Median < x.Min {
			return nil, fmt.Errorf("benchmark: no report: a result of %q and %q is wrong, or there are two", x.Operation, x.Peer)
		}
		seen[key] = true
	}
	if len(report.Results) == 0 {
		return nil, fmt.Errorf("benchmark: the report has no results")
	}
	return report, nil
}

// time tells that x can be a time.
func time(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Write writes the report.
func (r *Report) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(r)
}

// Operations lists the operations in the order of the results.
func (r *Report) Operations() []string {
	var ops []string
	for _, x := range r.Results {
		if !slices.Contains(ops, x.Operation) {
			ops = append(ops, x.Operation)
		}
	}
	return ops
}

// Of lists the results for an operation, in their order.
func (r *Report) Of(operation string) []Result {
	return slices.DeleteFunc(slices.Clone(r.Results), func(x Result) bool { return x.Operation != operation })
}

// Result finds a result.
func (r *Report) Result(operation, peer string) (Result, bool) {
	for _, x := range r.Results {
		if x.Operation == operation && x.Peer == peer {
			return x, true
		}
	}
	return Result{}, false
}

// Peer finds a peer; one that is not listed has only its name.
func (r *Report) Peer(name string) Peer {
	for _, p := range r.Peers {
		if p.Name == name {
			return p
		}
	}
	return Peer{Name: name}
}

// Summary is the minimum and the median of samples, of which there is at least one.
func Summary(samples []float64) (minimum, median float64) {
	s := slices.Sorted(slices.Values(samples))
	n := len(s)
	return s[0], (s[(n-1)/2] + s[n/2]) / 2
}
