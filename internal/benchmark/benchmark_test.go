package benchmark

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
)

func report() *Report {
	return &Report{
		Go: "go1.26", OS: "linux", Arch: "amd64", CPU: "a <fast> CPU", Implementation: "amd64-bmi2", Samples: 10, Inputs: 16,
		Peers:  []Peer{{Name: "std", Version: "1"}, {Name: "verum"}, {Name: "other", Note: "not constant-time & old"}},
		Absent: []Peer{{Name: "gone", Note: "not here"}},
		Results: []Result{
			{"sign", "std", 36000, 37000, 50},
			{"ecdh", "std", 62000, 64000, 1},
			{"ecdh", "other", 192000, 250000, 6},
			{"ecdh", "verum", 31000, 33000, 1},
		},
	}
}

func TestReport(t *testing.T) {
	var b bytes.Buffer
	if err := report().Write(&b); err != nil {
		t.Fatal(err)
	}
	r, err := Read(&b)
	if err != nil || !reflect.DeepEqual(r, report()) {
		t.Fatalf("read %+v, error %v", r, err)
	}
	if ops := r.Operations(); !reflect.DeepEqual(ops, []string{"sign", "ecdh"}) {
		t.Errorf("operations %q", ops)
	}
	if of := r.Of("ecdh"); len(of) != 3 || of[2].Peer != Own || len(r.Results) != 4 {
		t.Errorf("results for ecdh: %v", of)
	}
	if _, ok := r.Result("sign", Own); ok {
		t.Error("a result that is not there is found")
	}
	if r.Peer("other").Note == "" || r.Peer("new") != (Peer{Name: "new"}) {
		t.Error("wrong peers")
	}
}

func TestReadRefuses(t *testing.T) {
	for what, change := range map[string]func(r *Report){
		"no results":     func(r *Report) { r.Results = nil },
		"a result twice": func(r *Report) { r.Results = append(r.Results, r.Results[0]) },
		"no time":        func(r *Report) { r.Results[0].Min = 0 },
		"a negative time": func(r *Report) {
			r.Results[0].Min = -1
		},
		"a median below the minimum": func(r *Report) { r.Results[0].Median = 1 },
		"no operation":               func(r *Report) { r.Results[0].Operation = "" },
		"no contender":               func(r *Report) { r.Results[0].Peer = "" },
	} {
		r := report()
		change(r)
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b); err == nil {
			t.Errorf("a report with %s is accepted", what)
		}
	}
	if _, err := Read(strings.NewReader("bench: no")); err == nil {
		t.Error("text is taken for a report")
	}
}

func TestSummary(t *testing.T) {
	for _, tt := range []struct {
		samples     []float64
		min, median float64
	}{{[]float64{3}, 3, 3}, {[]float64{5, 1}, 1, 3}, {[]float64{9, 2, 4}, 2, 4}, {[]float64{8, 1, 2, 4}, 1, 3}} {
		in := append([]float64(nil), tt.samples...)
		if lo, mid := Summary(tt.samples); lo != tt.min || mid != tt.median || !reflect.DeepEqual(in, tt.samples) {
			t.Errorf("%v: minimum %v, median %v", tt.samples, lo, mid)
		}
	}
}

func TestCompare(t *testing.T) {
	m := func(ecdh float64) Minima { return Minima{"ecdh": ecdh} }
	for _, tt := range []struct {
		what                 string
		base0, base1, n0, n1 float64
		change, limit        float64
		regressed            bool
	}{
		{"the same", 100, 100, 100, 100, 0, 0.007, false},
		{"faster", 100, 100, 50, 50, -0.5, 0.007, false},
		{"a little slower", 1000, 1000, 1006, 1006, 0.006, 0.007, false},
		{"slower", 1000, 1000, 1008, 1008, 0.008, 0.007, true},
		{"slower, but who knows", 1000, 1005, 1012, 1012, 0.012, 0.015, false},
		{"slower, whatever the spread of the new one", 1000, 1000, 1040, 1050.4, 0.04, 0.03, true},
		{"the least time counts", 1000, 2000, 1500, 1000, 0, 3, false},
	} {
		cs := Compare([2]Minima{m(tt.base0), m(tt.base1)}, [2]Minima{m(tt.n0), m(tt.n1)})
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
		if len(cs) != 1 || !near(cs[0].Change(), tt.change) || !near(cs[0].Limit(), tt.limit) || cs[0].Regressed() != tt.regressed {
			t.Errorf("%s: %+v", tt.what, cs)
		}
	}
	a, b := Minima{"b": 1, "a": 1, "c": 1}, Minima{"a": 1, "b": 1, "d": 1}
	if cs := Compare([2]Minima{a, a}, [2]Minima{b, b}); len(cs) != 2 || cs[0].Operation != "a" || cs[1].Operation != "b" {
		t.Errorf("operations of both: %+v", cs)
	}
}

func TestMinima(t *testing.T) {
	m := Minima{}
	r := report()
	m.Add(r)
	r.Results[3].Min = 40000
	m.Add(r)
	if len(m) != 1 || m["ecdh"] != 31000 {
		t.Errorf("minima %v", m)
	}
	r.Results[3].Min = 30000
	if m.Add(r); m["ecdh"] != 30000 {
		t.Errorf("minima %v", m)
	}
}

// TestChart: the picture is XML, the same each time, and shows each contender, the fastest first.
func TestChart(t *testing.T) {
	r := report()
	svg := Chart(r, "ecdh")
	if svg != Chart(r, "ecdh") {
		t.Error("two pictures differ")
	}
	var texts []string
	var widths []string
	d := xml.NewDecoder(strings.NewReader(svg))
	in := ""
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			in = tok.Name.Local
			attr := map[string]string{}
			for _, a := range tok.Attr {
				attr[a.Name.Local] = a.Value
			}
			if in == "rect" && strings.HasPrefix(attr["class"], "bar") {
				widths = append(widths, attr["width"])
			}
		case xml.CharData:
			if in == "text" && strings.TrimSpace(string(tok)) != "" {
				texts = append(texts, string(tok))
			}
		}
	}
	// The scale goes to 200 µs.
	if want := []string{"62", "124", "384"}; !reflect.DeepEqual(widths, want) {
		t.Errorf("widths %q, want %q", widths, want)
	}
	all := strings.Join(texts, "|")
	for _, want := range []string{"a <fast> CPU", "verum|31.0  (0.50×)|std|62.0  (1.00×)|other *|192  (3.10×)", "|150|200|", "* other: not constant-time & old"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
	if strings.Contains(Chart(r, "sign"), "not constant-time") {
		t.Error("a note of who is not there")
	}
}

func TestNiceCeil(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, 1.5: 2, 62000: 80000, 192000: 200000, 85000: 100000, 300: 400, 999: 1000, 4000: 4000} {
		if got := niceCeil(x); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
}

func TestMicros(t *testing.T) {
	for ns, want := range map[float64]string{294: "0.29", 9876: "9.88", 44760: "44.8", 192115: "192", 1234567: "1235"} {
		if got := Micros(ns); got != want {
			t.Errorf("%v ns: %s, want %s", ns, got, want)
		}
	}
}

func TestCPU(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\nmodel name\t: other\n", "AMD EPYC (family 25, model 1)"},
		{"processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd49\n", "implementer 0x41, part 0xd49"},
	} {
		if got := cpuName(tt.text); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if CPU() == "" || cpuName("") == "" {
		t.Error("a CPU without a name")
	}
}
