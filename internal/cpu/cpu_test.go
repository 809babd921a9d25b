package cpu

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	old := []variant{{"bmi2", false}, {"baseline", true}}
	modern := []variant{{"bmi2", true}, {"baseline", true}}
	for _, tt := range []struct {
		name string
		all  []variant
		want string
		got  string
		err  string // part of the message, "" for no error
	}{
		{"best", modern, "", "bmi2", ""},
		{"best of an old CPU", old, "", "baseline", ""},
		{"restricted", modern, "baseline", "baseline", ""},
		{"named", modern, "bmi2", "bmi2", ""},
		{"not on this CPU", old, "bmi2", "", "cannot run"},
		{"unknown", modern, "avx512", "", `VERUM_CPU="avx512": unknown variant`},
		{"case matters", modern, "BMI2", "", "unknown variant"},
		{"space matters", modern, "bmi2 ", "", "unknown variant"},
		{"no proved code", nil, "", "", "no proved code"},
		{"no proved code, named", nil, "baseline", "", "no proved code"},
	} {
		got, err := choose(tt.all, tt.want)
		if got != tt.got {
			t.Errorf("%s: chose %q, want %q", tt.name, got, tt.got)
		}
		switch {
		case tt.err == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.err)
		case tt.err != "" && !errors.Is(err, errors.ErrUnsupported):
			t.Errorf("%s: error %v does not wrap errors.ErrUnsupported", tt.name, err)
		}
	}
}

// TestThisProcess checks that the process runs what VERUM_CPU asks for, or nothing.
func TestThisProcess(t *testing.T) {
	want := os.Getenv("VERUM_CPU")
	t.Logf("VERUM_CPU=%q: variant %q, error %v", want, Variant(), Err())
	if (Variant() == "") != (Err() != nil) {
		t.Errorf("variant %q together with error %v", Variant(), Err())
	}
	if want != "" && Variant() != "" && Variant() != want {
		t.Errorf("variant %q, but VERUM_CPU=%q", Variant(), want)
	}
	if BMI2() != (Variant() == "bmi2") {
		t.Errorf("BMI2() = %v with variant %q", BMI2(), Variant())
	}
}
