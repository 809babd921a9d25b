package kernel

// axiomSet is a set of mathematical axioms, one bit each, in the order of the list below. Every theorem carries the
// axioms it rests on, and every rule unites those of its premises.
type axiomSet uint64

// axiom is a fact that is assumed rather than proved: a name, a reference, and the constant that states it.
type axiom struct{ name, reference string }

// axioms is the complete list. It is empty: no mathematical axiom is needed (shared/design.md §4), so none is stated.
var axioms = [...]axiom{}

func (s axiomSet) names() []string { return s.namesIn(axioms[:]) }

func (s axiomSet) namesIn(list []axiom) (names []string) {
	for i, a := range list {
		if s>>i&1 == 1 {
			names = append(names, a.name)
		}
	}
	return names
}

// Axioms lists the names of all axioms that exist, used or not.
func Axioms() []string { return axiomSet(1<<len(axioms) - 1).names() }
