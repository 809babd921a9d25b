package logic

import (
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"verum.example/internal/evidence"
)

// What this process has done: inputs of fuzz targets; expressions and evaluations compared with the oracle.
var executions, expressions, evaluations atomic.Int64

// TestMain records it, if evidence is recorded. Fuzzing takes place in processes of its own, the workers.
func TestMain(m *testing.M) {
	code := m.Run()
	target := flag.Lookup("test.fuzz").Value.String()
	var err error
	switch {
	case code != 0:
	case target == "" && expressions.Load() > 0:
		err = evidence.Add(".", "logic", map[string]string{"run": flag.Lookup("test.run").Value.String()},
			map[string]int64{"expressions": expressions.Load(), "evaluations": evaluations.Load()})
	case target != "" && executions.Load() > 0:
		err = evidence.Add(".", "fuzz", map[string]string{"target": target, "process": fmt.Sprint(os.Getpid())},
			map[string]int64{"executions": executions.Load()})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
