// Verum proves the assembly of module verum.example and writes it into the source tree. It has the subcommands that
// "verum help" lists; "verum help prove" explains one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

// command is a subcommand. Each is in a file of its own.
type command struct {
	name  string
	args  string // what follows the flags
	short string // one line, for the list of commands
	long  string // what help says
	// flags defines the command's flags and returns what runs it.
	flags func(fs *flag.FlagSet) func(e *env, args []string) error
}

// commands in the order of help.
var commands = []*command{proveCommand, emitCommand, listCommand, trustCommand, auditCommand, explainCommand, mutateCommand, benchCommand, tuneCommand}

// env is what a command works with.
type env struct {
	stdout, stderr io.Writer
	terminal       bool   // stderr is a terminal: progress is shown
	dir            string // the current directory
}

// errFailed is the error of a command that has already said what is wrong.
var errFailed = errors.New("failed")

// usageError is the error of a command that was called in a wrong way.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// memoryLimit is where the garbage collector works harder, unless GOMEMLIMIT says otherwise.
const memoryLimit = 3 << 30

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // proofs make many small terms that live long
	}
	e := &env{stdout: os.Stdout, stderr: os.Stderr, terminal: isTerminal(os.Stderr)}
	var err error
	if e.dir, err = os.Getwd(); err != nil {
		fmt.Fprintf(os.Stderr, "verum: %v\n", err)
		os.Exit(1)
	}
	os.Exit(run(e, os.Args[1:]))
}

// isTerminal tells that f is a terminal on which a line can be written over.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""
}

// run runs a command and returns the exit status: 0, 1 if what was asked for fails, 2 if it was asked in a wrong way,
// and what a statusError says.
func run(e *env, args []string) int {
	if len(args) == 0 {
		usage(e.stderr)
		return 2
	}
	name, args := args[0], args[1:]
	help := name == "help" || name == "-h" || name == "-help" || name == "--help"
	if help {
		if len(args) == 0 {
			usage(e.stdout)
			return 0
		}
		name, args = args[0], []string{"-h"}
	}
	for _, c := range commands {
		if c.name == name {
			return c.run(e, args)
		}
	}
	fmt.Fprintf(e.stderr, "verum: there is no command %q; there are %s (verum help explains them)\n", name, commandNames())
	return 2
}

func commandNames() string {
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

func usage(w io.Writer) {
	fmt.Fprint(w, `Verum is cryptography in assembly that is proved: correct, memory-safe and constant-time.
This command re-proves it, here and now.

	verum command [flags] [arguments]

The commands are:

`)
	for _, c := range commands {
		fmt.Fprintf(w, "\t%-8s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, `
"verum help command" explains a command. A function is named as in "p256Mul", on a target as in
"p256Mul/arm64", in a variant as in "p256Mul/amd64/bmi2"; each part may have wildcards: "p256*", "*/arm64".
`)
}

func (c *command) run(e *env, args []string) int {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	do := c.flags(fs)
	err := fs.Parse(args)
	if err == nil {
		err = do(e, fs.Args())
		if !errors.As(err, new(usageError)) {
			return c.report(e, err)
		}
	}
	if errors.Is(err, flag.ErrHelp) {
		c.help(e.stdout, fs)
		return 0
	}
	fmt.Fprintf(e.stderr, "verum %s: %v\nusage: %s (verum help %s explains it)\n", c.name, err, c.usage(), c.name)
	return 2
}

// report says what went wrong and returns the exit status.
func (c *command) report(e *env, err error) int {
	if err == nil {
		return 0
	}
	if !errors.Is(err, errFailed) {
		fmt.Fprintf(e.stderr, "verum %s: %v\n", c.name, err)
	}
	if s := (statusError{}); errors.As(err, &s) {
		return s.status
	}
	return 1
}

func (c *command) usage() string {
	s := "verum " + c.name + " [flags]"
	if c.args != "" {
		s += " " + c.args
	}
	return s
}

func (c *command) help(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprintf(w, "usage: %s\n\n%s", c.usage(), c.long)
	flags := false
	fs.VisitAll(func(*flag.Flag) { flags = true })
	if flags {
		fmt.Fprint(w, "\nFlags:\n\n")
		fs.SetOutput(w)
		fs.PrintDefaults()
	}
}
