package cpu

import "golang.org/x/sys/cpu"

func variants() []variant {
	return []variant{
		{"bmi2", cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasAVX && cpu.X86.HasAVX2},
		{"baseline", true},
	}
}
