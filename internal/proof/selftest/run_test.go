package selftest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"verum.example/internal/tcb/emit"
	"verum.example/internal/tcb/machine"
)

// program runs the emitted functions on random inputs against plain Go.
const program = `package main

import (
	"fmt"
	"math/rand/v2"
	"os"

	"emitted/selftest"
)

func main() {
	r := rand.New(rand.NewPCG(5, 6))
	check := func(what string, ok bool) {
		if !ok {
			fmt.Println(what, "is wrong")
			os.Exit(1)
		}
	}
	for range 2000 {
		x, y := r.Uint64(), r.Uint64()
		a := make([]uint64, 1+r.IntN(6))
		n := r.Uint64N(uint64(len(a)) + 1)
		var sum uint64
		for i := range a {
			if a[i] = r.Uint64(); uint64(i) < n {
				sum += a[i]
			}
		}
		check("Sum", selftest.Sum(&a[0], n) == sum)

		var out [1]uint64
		i := r.Uint64N(10)
		selftest.Scan(&out, &[1]uint64{i})
		check("Scan", i < 8 && out[0] == 1000+i*i || i >= 8 && out[0] == 0)

		var w, want [8]uint64
		for j := range w {
			w[j] = r.Uint64()
		}
		want = w
		want[i%8] = x
		selftest.Put(&w, i%8, &[1]uint64{x})
		check("Put", w == want)

		selftest.Choose(&out, &[1]uint64{x}, i%2)
		check("Choose", out[0] == 2*x*(i%2))
		out[0] = y
		selftest.Choose(&out, &out, y)
		check("Choose in place", out[0] == 2*y)

		selftest.Collatz(&out, &[1]uint64{x})
		check("Collatz", x%2 == 0 && out[0] == x/2 || x%2 == 1 && out[0] == 3*x+1)
		out[0] = x
		selftest.Triple(&out, &out)
		check("Triple", out[0] == 3*x)
	}
	fmt.Println("ok")
}
`

// TestEmitted emits the functions as a package of a module of its own, vets it, and runs it on this machine, and for
// arm64 under qemu where there is one.
func TestEmitted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	var vs []machine.Verified
	for _, target := range []machine.Target{machine.ARM64, machine.AMD64} {
		for _, name := range Names() {
			v, err := Verify(name, target)
			if err != nil {
				t.Fatal(err)
			}
			vs = append(vs, v)
		}
	}
	out, err := emit.Module("selftest", vs)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module emitted\n\ngo 1.26\n")
	write("main.go", program)
	for _, f := range out.Files {
		write(filepath.Join("selftest", f.Name), string(f.Data))
	}
	run := func(goarch string, name string, args ...string) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOARCH="+goarch, "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
		if b, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s %v for %s: %v\n%s", name, args, goarch, err, b)
		}
	}
	for _, goarch := range []string{"amd64", "arm64"} {
		t.Run(goarch, func(t *testing.T) {
			run(goarch, "go", "vet", "./...")
			run(goarch, "go", "build", "-o", "program-"+goarch, ".")
			exe := filepath.Join(dir, "program-"+goarch)
			if goarch == runtime.GOARCH {
				run(goarch, exe)
				return
			}
			for _, qemu := range []string{"qemu-aarch64-static", "qemu-aarch64"} {
				if _, err := exec.LookPath(qemu); err == nil && goarch == "arm64" {
					run(goarch, qemu, exe)
					return
				}
			}
			t.Skipf("nothing here runs %s programs", goarch)
		})
	}
}
