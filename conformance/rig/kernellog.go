package rig

import "joinmcast/spec"

// NameLog says whether the kernel has told of a defect between two states of a host: "quiet", or "defect".
func NameLog(before, after spec.HostState) string {
	if len(after.KernelLog) > len(before.KernelLog) || after.Taint != before.Taint {
		return "defect"
	}
	return "quiet"
}
