package main

import (
	"os"
	"path/filepath"

	"joinmcast/spec"
)

// canMischief tells whether an agent can be started for mischief, all of which needs root: another user may neither
// change its own nor open the rdma_cm device everywhere.
func (p program) canMischief() spec.Evidence {
	switch {
	case !exists(filepath.Join(p.root, p.mischief)):
		return spec.Evidence{How: p.mischief + " is not there"}
	case os.Geteuid() != 0:
		return spec.Evidence{How: "the host program does not run as root"}
	}
	return spec.Evidence{Has: true, How: "root, and " + p.mischief + " to preload"}
}
