// Package cpu decides, once per process, which variant of the proved assembly runs.
//
// Each target has the variant "baseline", which needs nothing beyond the architecture's minimum, and may have
// variants for CPUs with more features:
//
//	amd64  baseline; bmi2 (needs BMI1, BMI2, AVX and AVX2)
//	arm64  baseline
//
// The best variant that the CPU can run is chosen. The environment variable VERUM_CPU, read when the program
// starts, restricts the choice to the variant it names, so that tests can reach every variant on one machine; unset
// or empty, it restricts nothing. It can select only among proved variants that this CPU can run: a name that is
// unknown on this target, or a variant that this CPU cannot run, selects nothing at all. Then [Err] says what is
// wrong, and every public package refuses to work, rather than run something other than what was asked for.
package cpu

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// variant is one of the lines of the package comment; runs reports whether this CPU can run it.
type variant struct {
	name string
	runs bool
}

var (
	chosen, chosenErr = choose(variants(), os.Getenv("VERUM_CPU"))
	bmi2              = chosen == "bmi2"
)

// Variant returns the name of the variant that runs, such as "bmi2", or "" if [Err] is not nil.
func Variant() string { return chosen }

// BMI2 reports whether the amd64 variant "bmi2" runs. The dispatchers call it before every function of that
// variant: it never returns true on a CPU without BMI1, BMI2, AVX and AVX2.
func BMI2() bool { return bmi2 }

// Err returns nil if a variant was chosen. Otherwise it says why none was: there is no proved code for this
// platform, or VERUM_CPU asks for a variant that cannot run here. The error wraps [errors.ErrUnsupported].
func Err() error { return chosenErr }

// choose picks from all, which is in order of preference. A want that is not empty is the one name acceptable.
func choose(all []variant, want string) (string, error) {
	if len(all) == 0 {
		return "", fmt.Errorf("verum: no proved code for %s: %w", runtime.GOARCH, errors.ErrUnsupported)
	}
	var names []string
	for _, v := range all {
		switch {
		case want == "" && v.runs, want == v.name && v.runs:
			return v.name, nil
		case want == v.name:
			return "", fmt.Errorf("verum: VERUM_CPU=%s: this CPU cannot run that variant: %w", want, errors.ErrUnsupported)
		}
		names = append(names, v.name)
	}
	return "", fmt.Errorf("verum: VERUM_CPU=%q: unknown variant (on %s: %s): %w", want, runtime.GOARCH,
		strings.Join(names, ", "), errors.ErrUnsupported)
}
