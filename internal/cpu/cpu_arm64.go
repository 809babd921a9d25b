package cpu

func variants() []variant {
	return []variant{{"baseline", true}}
}
