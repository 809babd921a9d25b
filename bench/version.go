package main

import (
	"runtime/debug"
	"strings"
)

// moduleVersion is name and version of a module that is linked.
func moduleVersion(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				return strings.Join([]string{m.Path, m.Version}, " ")
			}
		}
	}
	return module
}
