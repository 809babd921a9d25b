package benchmark

import (
	"os"
	"runtime"
	"strings"
)

// CPU is what Linux calls the CPU, with family and model where it has them; elsewhere only the architecture.
func CPU() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	return cpuName(string(text))
}

// cpuName is the first CPU of that file.
func cpuName(cpuinfo string) string {
	first, _, _ := strings.Cut(cpuinfo, "\n\n")
	fields := map[string]string{}
	for line := range strings.Lines(first) {
		if k, v, ok := strings.Cut(line, ":"); ok {
			fields[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	name := fields["model name"]
	if family := fields["cpu family"]; family != "" {
		name += " (family " + family + ", model " + fields["model"] + ")"
	}
	if part := fields["CPU part"]; name == "" && part != "" {
		name = "implementer " + fields["CPU implementer"] + ", part " + part
	}
	if name == "" {
		return runtime.GOARCH
	}
	return name
}
