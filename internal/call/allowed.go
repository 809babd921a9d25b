package call

import (
	"crypto/fips140"
	"errors"

	"verum.example/internal/cpu"
)

// Allowed returns an error if no code of ours may run: in FIPS 140-only mode outside of what the caller has excepted, since
// Verum is not a validated module, and where there is no proved code ([cpu.Err]). The error begins with the package's name.
func Allowed(name string) error {
	if fips140.Enforced() {
		return errors.New(name + ": use of Verum, which is not a validated module, is not allowed in " +
			"FIPS 140-only mode outside of crypto/fips140.WithoutEnforcement")
	}
	return cpu.Err()
}
