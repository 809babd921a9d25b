// Package contract says what a verified function promises: its parameters, what it requires and ensures, and what it
// may leak.
//
// A Contract is a sealed handle. New evaluates the functions of a Func once for each alias pattern, over variables
// that nobody else can name, and keeps the resulting terms; nothing that the caller holds is shared with it. Only
// packages under internal/spec may import this package (a test enforces it), so that nobody can verify a function of
// the API against a contract of his own. Routines that are internal to a proof get contracts of a second kind from
// machine.Internal: their parameters are in registers, and no stub is ever emitted for them. A contract that is only
// tried, such as one that is altered to see whether the proof notices, comes from machine.Trial: its name is none that
// Go could call.
//
// # What holds without being said
//
// The regions of pointer parameters are pairwise disjoint, except that parameters which are only read may overlap
// anyhow, and that the parameters of an alias pattern coincide. Nothing outside the writable regions changes. Secrets
// come only through pointers: a by-value argument is public, because Go's argument area is not wiped. A parameter's
// contents, and the result, are secret unless declared public; what a public result says about the secrets is the
// contract's business: it is declassified to the caller of the function, and to nobody else.
package contract

import (
	"errors"
	"fmt"
	"go/token"
	"math/big"
	"slices"
	"strings"

	"verum.example/internal/tcb/logic"
)

// Mode is what a function does with a parameter's region.
type Mode uint8

const (
	// ModeIn: initialised, only read.
	ModeIn Mode = iota + 1
	// ModeOut: every byte is written; the contents before are unknown and never read. (Of a region whose contents are
	// an Int only what Ensures says is known to be written.)
	ModeOut
	// ModeInOut: initialised, read and written.
	ModeInOut
	// ModeScratch: as ModeOut, but the contents after are nobody's business; what held a secret is zero on return.
	ModeScratch
)

func (m Mode) String() string {
	switch m {
	case ModeIn:
		return "in"
	case ModeOut:
		return "out"
	case ModeInOut:
		return "inout"
	case ModeScratch:
		return "scratch"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// Reads tells that the contents before are part of the contract.
func (m Mode) Reads() bool { return m == ModeIn || m == ModeInOut }

// Returns tells that the contents after are part of the contract.
func (m Mode) Returns() bool { return m == ModeOut || m == ModeInOut }

// Param is a parameter: a pointer to a region, or a public uint64 (Value).
type Param struct {
	Name   string
	Bytes  int    // size of the region; 0 if Len gives it, or for a Value
	Elem   int    // bytes of an element, 1, 2, 4 or 8: one variable stands for each
	Len    string // the Value parameter that counts the elements of a region of symbolic length
	Whole  bool   // the contents are one Int although the size is constant: lets code store at symbolic offsets
	Mode   Mode
	Public bool // the contents are public: before (demanded of the caller) and after (proved)
	Value  bool // a by-value uint64
}

// In is a secret input of n bytes, in words of 8 bytes.
func In(name string, n int) Param { return Param{Name: name, Bytes: n, Elem: 8, Mode: ModeIn} }

// PublicIn is a public input of n bytes, in words of 8 bytes.
func PublicIn(name string, n int) Param {
	return Param{Name: name, Bytes: n, Elem: 8, Mode: ModeIn, Public: true}
}

// Out is a secret output of n bytes, in words of 8 bytes.
func Out(name string, n int) Param { return Param{Name: name, Bytes: n, Elem: 8, Mode: ModeOut} }

// InOut is a secret region of n bytes that is read and written, in words of 8 bytes.
func InOut(name string, n int) Param { return Param{Name: name, Bytes: n, Elem: 8, Mode: ModeInOut} }

// ScratchBuf is scratch memory of n bytes, in words of 8 bytes.
func ScratchBuf(name string, n int) Param {
	return Param{Name: name, Bytes: n, Elem: 8, Mode: ModeScratch}
}

// UintArg is a by-value uint64. It is public.
func UintArg(name string) Param { return Param{Name: name, Value: true, Public: true} }

// Slice is a region of as many elements as the Value parameter length says, each of elem bytes.
func Slice(name string, m Mode, elem int, length string) Param {
	return Param{Name: name, Elem: elem, Len: length, Mode: m}
}

// Of returns p with elements of the given number of bytes: In("d", 32).Of(1) is a *[32]byte.
func (p Param) Of(elem int) Param { p.Elem = elem; return p }

// Declassified returns p with public contents.
func (p Param) Declassified() Param { p.Public = true; return p }

// AsInt returns p with its contents kept as one Int (see Param.Whole).
func (p Param) AsInt() Param { p.Whole = true; return p }

// IsInt tells that the contents are one Int term in [0, 256^len): Whole, or of symbolic length.
func (p Param) IsInt() bool { return p.Whole || p.Len != "" }

// GoType is the parameter's type in the Go stub.
func (p Param) GoType() string {
	if p.Value {
		return "uint64"
	}
	elem := map[int]string{1: "byte", 2: "uint16", 4: "uint32", 8: "uint64"}[p.Elem]
	if p.Len != "" {
		return "*" + elem
	}
	return fmt.Sprintf("*[%d]%s", p.Bytes/p.Elem, elem)
}

// MaxBytes bounds the size of a region.
const MaxBytes = 1 << 20

func (p Param) check() error {
	switch {
	case !Ident(p.Name):
		return fmt.Errorf("%q is no parameter name", p.Name)
	case p.Value:
		if p != UintArg(p.Name) {
			return fmt.Errorf("%s: a by-value argument is a public uint64 and nothing else", p.Name)
		}
		return nil
	case p.Elem != 1 && p.Elem != 2 && p.Elem != 4 && p.Elem != 8:
		return fmt.Errorf("%s: elements of %d bytes", p.Name, p.Elem)
	case p.Mode < ModeIn || p.Mode > ModeScratch:
		return fmt.Errorf("%s: no mode", p.Name)
	case p.Mode == ModeScratch && p.Public:
		return fmt.Errorf("%s: scratch memory is not public", p.Name)
	case p.Len != "" && (p.Bytes != 0 || p.Whole):
		return fmt.Errorf("%s: symbolic and constant length", p.Name)
	case p.Len == "" && (p.Bytes < 1 || p.Bytes > MaxBytes || p.Bytes%p.Elem != 0):
		return fmt.Errorf("%s: %d bytes in elements of %d", p.Name, p.Bytes, p.Elem)
	}
	return nil
}

// Func is what New makes a Contract of.
type Func struct {
	// Name is the function's Go name. Doc is its documentation: full sentences, the first beginning with the name.
	Name, Doc string
	// Params in order.
	Params []Param
	// Result is the name of the uint64 result, "" if there is none. It is secret unless ResultPublic.
	Result       string
	ResultPublic bool
	// Alias lists the patterns in which parameters may coincide; each is verified as its own run.
	Alias [][]string
	// Requires and Leaks are over the contents before and the arguments, Ensures also over those after and the result.
	Requires, Ensures, Leaks func(Env) []logic.Term
	// Witness gives initial values that meet Requires: little-endian contents of regions, and arguments. What it leaves
	// out is 0. In an alias pattern the first of the parameters that is read counts.
	Witness func() map[string]*big.Int
}

// Contract is a sealed contract. The zero Contract is none.
type Contract struct{ c *contract }

type contract struct {
	name, doc    string
	internal     bool
	params       []Param
	result       string
	resultPublic bool
	patterns     []*pattern
	witness      map[string]*big.Int
}

// New makes the contract of a function that Go can call.
func New(f Func) (Contract, error) { return build(f, false) }

// MustNew is New for package-level variables: a contract that is ill-formed is a programming error.
func MustNew(f Func) Contract {
	c, err := New(f)
	if err != nil {
		panic(err)
	}
	return c
}

// NewInternal makes the contract of a routine that only verified code calls: parameters and result are in registers.
func NewInternal(f Func) (Contract, error) { return build(f, true) }

// NewTrial makes a contract as New does, under the name "_" + f.Name. What is verified against it is of no use: emit
// takes only exported names in a package whose name is made of letters and digits, and only a routine can be called.
func NewTrial(f Func) (Contract, error) {
	f.Name = "_" + f.Name
	return build(f, false)
}

// Ident tells a name that Go and its assembler understand: an ASCII identifier, no keyword and not _.
func Ident(s string) bool {
	ascii := !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
	return token.IsIdentifier(s) && ascii && s != "_"
}

func build(f Func, internal bool) (Contract, error) {
	c := &contract{name: f.Name, doc: f.Doc, internal: internal, params: slices.Clone(f.Params), result: f.Result, resultPublic: f.ResultPublic}
	if err := c.init(f); err != nil {
		return Contract{}, fmt.Errorf("contract %s: %w", f.Name, err)
	}
	return Contract{c}, nil
}

func (c *contract) init(f Func) error {
	if !Ident(c.name) {
		return errors.New("the name is no Go identifier")
	}
	if c.result != "" && !Ident(c.result) {
		return fmt.Errorf("%q is no name for a result", c.result)
	}
	if c.resultPublic && c.result == "" {
		return errors.New("a public result, but no result")
	}
	seen := map[string]bool{c.result: true}
	for _, p := range c.params {
		if err := p.check(); err != nil {
			return err
		}
		if seen[p.Name] {
			return fmt.Errorf("%s is declared twice", p.Name)
		}
		seen[p.Name] = true
	}
	for _, p := range c.params {
		if q, ok := c.param(p.Len); p.Len != "" && (!ok || !q.Value) {
			return fmt.Errorf("%s: its length %s is no by-value parameter", p.Name, p.Len)
		}
		if c.internal && p.IsInt() {
			return fmt.Errorf("%s: a routine's regions have constant size and elements", p.Name)
		}
	}
	if err := c.evaluate(f, nil); err != nil {
		return err
	}
	for _, names := range f.Alias {
		names = slices.Clone(names)
		if err := c.checkAlias(names); err != nil {
			return fmt.Errorf("alias pattern %s: %w", strings.Join(names, "="), err)
		}
		if err := c.evaluate(f, names); err != nil {
			return fmt.Errorf("alias pattern %s: %w", strings.Join(names, "="), err)
		}
	}
	return c.initWitness(f)
}

func (c *contract) param(name string) (Param, bool) {
	for _, p := range c.params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

// checkAlias: two or more distinct pointer parameters of one constant size and element, of which exactly one is
// written and the others are inputs. (Inputs alone need no pattern.)
func (c *contract) checkAlias(names []string) error {
	if len(names) < 2 {
		return errors.New("fewer than two parameters")
	}
	written := 0
	first, _ := c.param(names[0])
	for i, n := range names {
		p, ok := c.param(n)
		switch {
		case !ok || p.Value || p.IsInt():
			return fmt.Errorf("%s is no pointer to a region of constant size", n)
		case slices.Contains(names[:i], n):
			return fmt.Errorf("%s is listed twice", n)
		case p.Mode == ModeScratch:
			return fmt.Errorf("%s is scratch memory", n)
		case p.Bytes != first.Bytes || p.Elem != first.Elem:
			return fmt.Errorf("%s and %s differ in size or element", first.Name, n)
		case p.Mode.Returns():
			written++
		}
	}
	if written != 1 {
		return fmt.Errorf("%d of the parameters are written, not 1", written)
	}
	for _, p := range c.patterns {
		if sameSet(p.names, names) {
			return errors.New("listed twice")
		}
	}
	return nil
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

func (c *contract) initWitness(f Func) error {
	c.witness = map[string]*big.Int{}
	if f.Witness != nil {
		for name, v := range f.Witness() {
			if p, ok := c.param(name); !ok || !p.Value && !p.Mode.Reads() || v == nil || v.Sign() < 0 {
				return fmt.Errorf("witness: %s is no input, or its value is no natural number", name)
			}
			c.witness[name] = new(big.Int).Set(v)
		}
	}
	for _, p := range c.params {
		bits := 8 * p.Bytes
		switch {
		case p.Value:
			bits = 64
		case p.Len != "":
			n := Contract{c}.Witness(p.Len)
			if n.Cmp(big.NewInt(MaxBytes/8)) > 0 {
				return fmt.Errorf("witness: the length of %s is too large", p.Name)
			}
			bits = 8 * p.Elem * int(n.Int64())
		}
		if v := c.witness[p.Name]; v != nil && v.BitLen() > bits {
			return fmt.Errorf("witness: %s has more than %d bits", p.Name, bits)
		}
	}
	return nil
}

// ---- access; whatever is returned is a copy

// IsZero tells the zero Contract, which is none.
func (c Contract) IsZero() bool { return c.c == nil }

// Name is the function's Go name, "" for the zero Contract.
func (c Contract) Name() string {
	if c.c == nil {
		return ""
	}
	return c.c.name
}

// Doc is the function's documentation.
func (c Contract) Doc() string {
	if c.c == nil {
		return ""
	}
	return c.c.doc
}

// Internal tells a routine's contract from a Go function's.
func (c Contract) Internal() bool { return c.c != nil && c.c.internal }

// Params lists the parameters in order.
func (c Contract) Params() []Param {
	if c.c == nil {
		return nil
	}
	return slices.Clone(c.c.params)
}

// Result is the name of the uint64 result, "" if there is none, and whether it is public.
func (c Contract) Result() (name string, public bool) {
	if c.c == nil {
		return "", false
	}
	return c.c.result, c.c.resultPublic
}

// Patterns lists the alias patterns; the first is the one without aliases.
func (c Contract) Patterns() []Pattern {
	if c.c == nil {
		return nil
	}
	r := make([]Pattern, len(c.c.patterns))
	for i, p := range c.c.patterns {
		r[i] = Pattern{p}
	}
	return r
}

// Witness gives the initial value of an argument or of an input region, little-endian.
func (c Contract) Witness(name string) *big.Int {
	if c.c != nil && c.c.witness[name] != nil {
		return new(big.Int).Set(c.c.witness[name])
	}
	return new(big.Int)
}
