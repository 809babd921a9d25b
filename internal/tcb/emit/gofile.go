package emit

import (
	"fmt"
	"strings"

	"verum.example/internal/tcb/machine"
)

// packageFile is the file that every platform compiles.
func packageFile(module string, fs []function) []byte {
	var b strings.Builder
	b.WriteString(Header + "\n\n")
	var targets []string
	for i, f := range fs {
		if i == 0 || f.Target() != fs[i-1].Target() {
			targets = append(targets, f.Target().String())
		}
	}
	comment(&b,
		"Package "+module+" is verified assembly: each function is proved to meet its contract, to access no memory but what",
		"the contract grants, and to take a time that does not depend on secrets. The contracts stand in the assembly files.",
		"",
		"A proof says nothing about a call that breaks the contract: the caller sees to it that what the contract requires",
		"holds, that regions do not overlap unless the contract says so, and that memory does not change during the call.",
		"",
		"The functions exist on "+strings.Join(targets, " and ")+". Elsewhere the package is empty.")
	b.WriteString("package " + module + "\n")
	return []byte(b.String())
}

// goFile declares the assembly functions of one target and defines the exported functions. names are the variants that
// the module has there, in order of preference; fs is ordered by exported name and preference.
func goFile(module string, names []string, fs []function) []byte {
	t := fs[0].Target()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n//go:build %v\n\npackage %s\n", Header, t, module)
	if len(names) > 1 {
		fmt.Fprintf(&b, "\nimport %q\n", cpuPackage)
	}
	b.WriteString("\n// Implementation names the implementation that runs: the target and, unless it is the baseline, the variant.\n")
	b.WriteString("func Implementation() string {\n")
	for _, name := range names {
		choose(&b, t, name, func(indent string) {
			s := t.String()
			if name != "" {
				s += "-" + name
			}
			fmt.Fprintf(&b, "%sreturn %q\n", indent, s)
		})
	}
	b.WriteString("}\n")
	for i := 0; i < len(fs); {
		j := i + 1
		for j < len(fs) && fs[j].export == fs[i].export {
			j++
		}
		exported(&b, module, fs[i:j])
		i = j
	}
	return []byte(b.String())
}

// choose writes what is done for a variant, under the condition that internal/cpu has chosen it.
func choose(b *strings.Builder, t machine.Target, name string, do func(indent string)) {
	v, _ := findVariant(t, name)
	if v.cpu == "" {
		do("\t")
		return
	}
	fmt.Fprintf(b, "\tif cpu.%s() {\n", v.cpu)
	do("\t\t")
	b.WriteString("\t}\n")
}

// exported writes an exported function and the declarations of its implementations, best first.
func exported(b *strings.Builder, module string, fs []function) {
	c := fs[0].Contract()
	var args []string
	for _, p := range c.Params() {
		args = append(args, p.Name)
	}
	result, _ := c.Result()
	b.WriteString("\n")
	doc := docLines(c.Doc(), c.Name(), fs[0].export)
	if alias := aliasText(c); len(alias) > 0 {
		doc = append(append(doc, ""), alias...)
	}
	if requires := c.Patterns()[0].Requires(); len(requires) > 0 {
		lines := formulas("It requires", "", requires, c, maxFormulas)
		doc = append(append(doc, "", lines[0], ""), lines[1:]...)
	}
	comment(b, doc...)
	fmt.Fprintf(b, "func %s%s {\n", fs[0].export, signature(c))
	for _, f := range fs {
		choose(b, f.Target(), f.Variant(), func(indent string) {
			call := fmt.Sprintf("%s(%s)\n", f.Symbol(), strings.Join(args, ", "))
			switch {
			case result != "":
				b.WriteString(indent + "return " + call)
			case f.Variant() != "":
				b.WriteString(indent + call + indent + "return\n")
			default:
				b.WriteString(indent + call)
			}
		})
	}
	b.WriteString("}\n")
	for _, f := range fs {
		b.WriteString("\n")
		comment(b, fmt.Sprintf("%s implements %s; see %s.", f.Symbol(), f.export, asmFile(module, f.Target(), f.Variant())), "")
		fmt.Fprintf(b, "//go:noescape\nfunc %s%s\n", f.Symbol(), signature(c))
	}
}
