package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/benchmark"
)

// TestRun: every contender that takes part is measured for each of its operations, and the report can be read.
func TestRun(t *testing.T) {
	var out, errs bytes.Buffer
	if err := run([]string{"-samples", "3"}, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	r, err := benchmark.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, p := range allPeers() {
		for name := range p.ops {
			want++
			x, ok := r.Result(name, p.Name)
			if !ok {
				t.Errorf("%s of %s is not measured", name, p.Name)
			}
			// A call takes more than 20 ns, and less than 100 ms.
			if x.Min < 20 || x.Median > 1e8 || x.Allocs < 0 || x.Allocs > 1000 {
				t.Errorf("wrong figures: %+v", x)
			}
		}
		if p.ops == nil && !slices.ContainsFunc(r.Absent, func(a benchmark.Peer) bool { return a.Name == p.Name && a.Note != "" }) {
			t.Errorf("%s is neither measured nor said to be absent", p.Name)
		}
	}
	if len(r.Results) != want || len(r.Operations()) != len(operations) {
		t.Errorf("%d results, want %d, of %d operations", len(r.Results), want, len(r.Operations()))
	}
	if _, ok := r.Result("p256-ecdh", benchmark.Reference); !ok || r.Samples != 3 || r.CPU == "" || r.Inputs != inputCount {
		t.Errorf("wrong report: %+v", r)
	}
}

func TestSelection(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-peers nobody", `no contender "nobody"; there are std, verum, openssl,`},
		{"p521-*", `no operation "p521-*"; there are p256-ecdh,`},
		{"[", "syntax error"},
		{"-samples 0", "at least one"},
		{"-peers elliptic p256-verify", "none of these contenders has one of these operations"},
		{"-x", "not defined"},
	} {
		err := run(strings.Fields(tt.args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("bench %s: error %v, want %q", tt.args, err, tt.want)
		}
	}
	var out bytes.Buffer
	if err := run(strings.Fields("-samples 1 -peers std,nistec p256-*key p256-val*"), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	r, err := benchmark.Read(&out)
	if err != nil || !slices.Equal(r.Operations(), []string{"p256-public-key", "p256-validate"}) || len(r.Results) != 4 || len(r.Absent) != 0 {
		t.Errorf("report %+v, error %v", r, err)
	}
	out.Reset()
	if err := run([]string{"-list"}, &out, io.Discard); err != nil || !strings.Contains(out.String(), "p256-ecdh ") || !strings.Contains(out.String(), "nistec ") {
		t.Errorf("list: %v\n%s", err, out.String())
	}
}

// TestChecks: no contender is measured that is wrong.
func TestChecks(t *testing.T) {
	in, err := newInputs()
	if err != nil {
		t.Fatal(err)
	}
	std := stdPeer()
	// The calls by which a contender fails, given the right ones.
	bad := map[string]func(right call) call{
		"failing": func(call) call { return func(int) ([]byte, error) { return nil, errRefused } },
		"wrong result": func(right call) call {
			return func(i int) ([]byte, error) {
				b, err := right(i)
				b = bytes.Clone(b)
				if len(b) == 0 {
					b = []byte{0}
				}
				b[len(b)-1] ^= 1
				return b, err
			}
		},
		"wrong for one input": func(right call) call {
			return func(i int) ([]byte, error) {
				if i == inputCount-1 {
					return nil, errors.New("wrong")
				}
				return right(i)
			}
		},
	}
	for _, op := range operations {
		right, err := std.ops[op.name](in)
		if err != nil {
			t.Fatal(err)
		}
		if err := op.check(in, right); err != nil {
			t.Errorf("%s: the right results are refused: %v", op.name, err)
		}
		for how, f := range bad {
			if op.check(in, f(right)) == nil {
				t.Errorf("%s: %s is accepted", op.name, how)
			}
		}
	}
	accept := func(int) ([]byte, error) { return nil, nil }
	for _, op := range operations {
		if (op.name == "p256-verify" || op.name == "p256-validate") && op.check(in, accept) == nil {
			t.Errorf("%s that accepts everything is accepted", op.name)
		}
	}
	random, _ := std.ops["p256-sign"](in)
	fixed, _ := std.ops["p256-sign-rfc6979"](in)
	if signs(in, random, true) == nil || signs(in, fixed, false) == nil {
		t.Error("random and deterministic signatures are not told apart")
	}
	raw := func(i int) ([]byte, error) { return lowS(in.signatures[i]) }
	if s, err := raw(0); err != nil || len(s) != 64 {
		t.Errorf("raw signature %x, %v", s, err)
	}
	if _, err := lowS([]byte{1}); err == nil {
		t.Error("something is taken for a signature")
	}
}

// TestInputs: the inputs are the same in each run.
func TestInputs(t *testing.T) {
	in, err := newInputs()
	if err != nil {
		t.Fatal(err)
	}
	again, err := newInputs()
	if err != nil || !bytes.Equal(in.signatures[3], again.signatures[3]) || bytes.Equal(in.private[0], in.private[1]) {
		t.Errorf("inputs differ, or do not: %v", err)
	}
	if len(in.public) != 2*in.count() || len(in.peers) != 2*in.count() || len(in.signatures) != 2*in.count() || len(in.digests) != 2*in.count() {
		t.Error("there are too few wrong inputs")
	}
}

// TestInterleave: the calls take turns, and each sample has one call with each input.
func TestInterleave(t *testing.T) {
	var order []int
	calls := make([]call, 3)
	for k := range calls {
		calls[k] = func(i int) ([]byte, error) {
			order = append(order, 10*k+i)
			return nil, nil
		}
	}
	times := interleave(calls, 2, 4)
	if len(times) != 3 || len(times[0]) != 4 || len(times[2]) != 4 || times[1][0] <= 0 {
		t.Fatalf("times %v", times)
	}
	if want := []int{0, 1, 10, 11, 20, 21, 10, 11, 20, 21, 0, 1}; !slices.Equal(order[:12], want) || len(order) != 6*6 {
		t.Errorf("order %v, want %v first", order, want)
	}
}
