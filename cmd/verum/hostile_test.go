package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRecorderSetting: a setting of the recorder that means nothing is refused, not taken for "off".
func TestRecorderSetting(t *testing.T) {
	for _, every := range []string{"x", "0", "-1", "1 "} {
		t.Setenv("VERUM_AUDIT", every)
		var stderr bytes.Buffer
		if status := run(&env{stdout: &bytes.Buffer{}, stderr: &stderr, dir: "."}, []string{"prove", "selftestSum"}); status != 2 || !strings.Contains(stderr.String(), "VERUM_AUDIT") {
			t.Errorf("%q: status %d, %s", every, status, stderr.String())
		}
	}
}

// TestAuditPipe: audit does not wait for a named pipe.
func TestAuditPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v %s", err, out)
	}
	done := make(chan int, 1)
	go func() {
		done <- run(&env{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, dir: "."}, []string{"audit", "-no-prove", pipe})
	}()
	select {
	case status := <-done:
		if status != statusUnreadable {
			t.Errorf("status %d", status)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits")
	}
}
