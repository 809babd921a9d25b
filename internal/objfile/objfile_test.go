package objfile_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verum.example/internal/objfile"
)

// text is assembly whose bytes are known.
var text = map[string]string{
	"amd64": `
DATA tab<>+0(SB)/8, $0x0807060504030201
DATA tab<>+8(SB)/1, $9
GLOBL tab<>(SB), 8|16, $9
TEXT leaf<>(SB), 4, $0-0
	NEGQ DI
	RET
TEXT ·f(SB), 4, $0-0
	LEAQ tab<>(SB), AX
	CALL leaf<>(SB)
	RET
`,
	"arm64": `
DATA tab<>+0(SB)/8, $0x0807060504030201
DATA tab<>+8(SB)/1, $9
GLOBL tab<>(SB), 8|16, $9
TEXT leaf<>(SB), 4, $0-0
	NEG R0, R0
	RET
TEXT ·f(SB), 4, $0-0
	MOVD $tab<>(SB), R1
	CALL leaf<>(SB)
	RET
`}

func assemble(t *testing.T, arch, text string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.s"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "asm", "-p", "example.com/p", "-o", "x.o", "x.s")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOARCH="+arch, "GOOS=linux", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "x.o"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRead(t *testing.T) {
	for arch, text := range text {
		symbols, err := objfile.Read(assemble(t, arch, text))
		if err != nil {
			t.Fatal(err)
		}
		find := func(name string) objfile.Symbol {
			i := slices.IndexFunc(symbols, func(s objfile.Symbol) bool { return s.Name == name || s.Name == "example.com/p."+name })
			if i < 0 {
				t.Fatalf("%s: no symbol %s in %+v", arch, name, symbols)
			}
			return symbols[i]
		}
		if d := find("tab").Data; !bytes.Equal(d, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Errorf("%s: tab is % x", arch, d)
		}
		leaf := map[string]string{"amd64": "\x48\xf7\xdf\xc3", "arm64": "\xe0\x03\x00\xcb\xc0\x03\x5f\xd6"}[arch]
		if s := find("leaf"); !strings.HasPrefix(string(s.Data), leaf) || !s.Static || len(s.Relocs) != 0 {
			t.Errorf("%s: leaf is %+v", arch, s)
		}
		f := find("f")
		want := map[string][]objfile.Reloc{
			"amd64": {{7, 4, "tab"}, {12, 4, "leaf"}},
			"arm64": {{12, 8, "tab"}, {20, 4, "leaf"}},
		}[arch]
		if f.Static || !slices.Equal(f.Relocs, want) {
			t.Errorf("%s: f is %+v, want relocations %+v", arch, f, want)
		}
	}
}

// TestCorrupt: what is cut off or changed is refused, or read as something else, but it is no crash.
func TestCorrupt(t *testing.T) {
	data := assemble(t, "amd64", text["amd64"])
	for n := range data {
		objfile.Read(data[:n])
		for _, bit := range []byte{1, 0x40, 0x80} {
			data[n] ^= bit
			objfile.Read(data)
			data[n] ^= bit
		}
	}
	if _, err := objfile.Read(data[:len(data)/2]); err == nil {
		t.Error("half a file is accepted")
	}
	if _, err := objfile.Read([]byte("\x7fELF")); err == nil {
		t.Error("something else is accepted")
	}
}
