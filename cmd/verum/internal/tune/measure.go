package tune

import (
	"bufio"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"verum.example/internal/tcb/amd64"
	"verum.example/internal/tcb/isa"
)

//go:embed runner
var runnerFiles embed.FS

// runner is a process that measures machine code on this CPU.
type runner struct {
	dir    string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	params int
}

// startRunner builds and starts the runner, for code with that many parameters.
func startRunner(params int) (*runner, error) {
	dir, err := os.MkdirTemp("", "tune")
	if err != nil {
		return nil, err
	}
	r := &runner{dir: dir, params: params}
	for _, name := range []string{"go.mod", "main.go", "call_amd64.s"} {
		text, err := runnerFiles.ReadFile("runner/" + name + ".txt")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-o", "runner")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		r.close()
		return nil, fmt.Errorf("building the runner: %w\n%s", err, text)
	}
	r.cmd = exec.Command(filepath.Join(dir, "runner"))
	r.cmd.Stderr = os.Stderr
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReader(out)
	return r, r.cmd.Start()
}

// close ends the process; there may be none.
func (r *runner) close() {
	if r == nil {
		return
	}
	if r.in != nil {
		r.in.Close()
		r.cmd.Wait()
	}
	os.RemoveAll(r.dir)
}

// function is straight-line code as a routine.
func function(is []isa.Instr) isa.Function {
	f := isa.Function{Name: "f", Local: true}
	for _, i := range is {
		f.Lines = append(f.Lines, isa.Line{Instr: i})
	}
	f.Lines = append(f.Lines, isa.Line{Return: true})
	return f
}

// machineCode is the code as a function that is called with its parameters in registers.
func machineCode(is []isa.Instr) ([]byte, error) {
	f := function(is)
	f.Frame = composedFrame
	b, relocs, err := amd64.Encode(f)
	if err == nil && len(relocs) > 0 {
		err = fmt.Errorf("the code has relocations")
	}
	return b, err
}

// measure returns the cycles per call of each code: minima over interleaved rounds of calls in place.
func (r *runner) measure(rounds, calls int, codes ...[]isa.Instr) ([]float64, error) {
	var msg []byte
	word := func(n int) { msg = binary.LittleEndian.AppendUint32(msg, uint32(n)) }
	word(len(codes))
	word(r.params)
	word(rounds)
	word(calls)
	for _, c := range codes {
		b, err := machineCode(c)
		if err != nil {
			return nil, err
		}
		word(len(b))
		msg = append(msg, b...)
	}
	if _, err := r.in.Write(msg); err != nil {
		return nil, err
	}
	cycles := make([]float64, len(codes))
	return cycles, binary.Read(r.out, binary.LittleEndian, cycles)
}
