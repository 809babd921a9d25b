package machine

import (
	"fmt"
	"slices"

	"verum.example/internal/tcb/isa"
)

// lowering turns structured code into lines with labels. Branches change neither registers nor flags nor memory, so
// the lines do what exec runs.
type lowering struct {
	t      *target
	lines  []isa.Line
	labels int
	calls  bool
}

func (w *lowering) label() string {
	w.labels++
	return fmt.Sprintf("l%d", w.labels)
}

func (w *lowering) place(label string) { w.lines = append(w.lines, isa.Line{Label: label}) }

func (w *lowering) jump(k isa.Cond, label string) {
	w.lines = append(w.lines, isa.Line{Branch: &isa.Branch{Cond: k, Label: label}})
}

func (w *lowering) code(c Code) error {
	switch c := c.(type) {
	case Block:
		for _, in := range c {
			w.lines = append(w.lines, isa.Line{Instr: in})
		}
	case Seq:
		for _, x := range c {
			if err := w.code(x); err != nil {
				return err
			}
		}
	case If: // branch to els unless Cond; Then; branch to end; els: Else; end:
		not, err := w.t.invert(c.Cond)
		if err != nil {
			return err
		}
		els := w.label()
		w.jump(not, els)
		if err := w.code(c.Then); err != nil {
			return err
		}
		if isEmpty(c.Else) {
			w.place(els)
			return nil
		}
		end := w.label()
		w.jump(nil, end)
		w.place(els)
		if err := w.code(c.Else); err != nil {
			return err
		}
		w.place(end)
	case Loop: // head: Body; branch to head if While
		head := w.label()
		w.place(head)
		if err := w.code(c.Body); err != nil {
			return err
		}
		w.jump(c.While, head)
	case Call:
		w.calls = true
		w.lines = append(w.lines, isa.Line{Call: c.To.v.symbol()})
	case Mark:
	default:
		return fmt.Errorf("%T is not code", c)
	}
	return nil
}

// Lower lowers a program without verifying it: the function, its routines, and their tables. It makes the checks that
// need no run. What it returns is evidence of nothing; it is for tools that show or compare code.
func Lower(p Program) ([]isa.Function, []Table, error) {
	v := &verified{axioms: map[string]bool{}}
	if err := v.init(p); err != nil {
		return nil, nil, fmt.Errorf("%s (%v): %w", p.Contract.Name(), p.Target, err)
	}
	return Verified{v}.Functions(), Verified{v}.Tables(), nil
}

// isEmpty tells code that makes no lines.
func isEmpty(c Code) bool {
	switch c := c.(type) {
	case Block:
		return len(c) == 0
	case Seq:
		return !slices.ContainsFunc(c, func(x Code) bool { return !isEmpty(x) })
	case Mark:
		return true
	}
	return false
}

// lower makes the lowered function and collects those of the routines that it calls, and all tables.
func (v *verified) lower(calls []*verified) error {
	p := &v.prog
	w := &lowering{t: p.Target.ops()}
	if err := w.code(p.Code); err != nil {
		return err
	}
	w.lines = append(w.lines, isa.Line{Return: true})
	f := isa.Function{Name: v.symbol(), Local: p.Contract.Internal(), Frame: p.Frame, Lines: w.lines, Calls: w.calls}
	if !f.Local {
		for _, q := range p.Contract.Params() {
			f.Args = append(f.Args, isa.Arg{Name: q.Name, Offset: f.ArgSize})
			f.ArgSize += 8
		}
		if res, _ := p.Contract.Result(); res != "" {
			f.Args = append(f.Args, isa.Arg{Name: res, Offset: f.ArgSize, Result: true})
			f.ArgSize += 8
		}
	}
	v.functions = []isa.Function{f}
	v.tables = slices.Clone(p.Tables)

	routines := map[string]*verified{v.symbol(): v}
	var add func(c *verified) error
	add = func(c *verified) error {
		if old, ok := routines[c.symbol()]; ok {
			if old != c {
				return fmt.Errorf("two functions are called %s", c.symbol())
			}
			return nil
		}
		routines[c.symbol()] = c
		v.functions = append(v.functions, c.functions[0])
		for _, t := range c.prog.Tables {
			i := slices.IndexFunc(v.tables, func(u Table) bool { return u.Name == t.Name })
			if i < 0 {
				v.tables = append(v.tables, t)
			} else if v.tables[i].Elem != t.Elem || !slices.Equal(v.tables[i].Data, t.Data) {
				return fmt.Errorf("two different tables are called %s", t.Name)
			}
		}
		for _, d := range callees(c.prog.Code) {
			if err := add(d); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range calls {
		if err := add(c); err != nil {
			return err
		}
	}
	return nil
}

// callees lists the routines that code calls.
func callees(c Code) []*verified {
	switch c := c.(type) {
	case Seq:
		var r []*verified
		for _, x := range c {
			r = append(r, callees(x)...)
		}
		return r
	case If:
		return append(callees(c.Then), callees(c.Else)...)
	case Loop:
		return callees(c.Body)
	case Call:
		return []*verified{c.To.v}
	}
	return nil
}
