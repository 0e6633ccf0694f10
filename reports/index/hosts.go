package index

import (
	"maps"
	"slices"
	"strconv"

	"joinmcast/spec"
)

// hosts is the environment as a table: a column a host, a row a field that some host has.
type hosts struct {
	Names []string
	Rows  []hostRow
}

// hostRow is one field of all hosts.
type hostRow struct {
	Name   string
	Values []string
}

// hostsOf is nil when the environment names none.
func hostsOf(env spec.Environment) *hosts {
	if len(env.Hosts) == 0 {
		return nil
	}
	h := &hosts{}
	for _, host := range env.Hosts {
		h.Names = append(h.Names, host.Name)
	}
	row := func(name string, value func(spec.HostEnvironment) string) {
		var values []string
		for _, host := range env.Hosts {
			values = append(values, value(host))
		}
		if slices.ContainsFunc(values, func(v string) bool { return v != "" }) {
			h.Rows = append(h.Rows, hostRow{name, values})
		}
	}
	row("kernel", func(e spec.HostEnvironment) string { return e.KernelRelease })
	row("kernel version", func(e spec.HostEnvironment) string { return e.KernelVersion })
	row("command line", func(e spec.HostEnvironment) string { return e.CommandLine })
	row("rdma-core", func(e spec.HostEnvironment) string { return e.RDMACore })
	row("driver", func(e spec.HostEnvironment) string { return e.Driver })
	row("device", func(e spec.HostEnvironment) string { return e.Device })
	row("firmware", func(e spec.HostEnvironment) string { return e.Firmware })
	row("node GUID", func(e spec.HostEnvironment) string { return e.NodeGUID })
	row("system image GUID", func(e spec.HostEnvironment) string { return e.SysImageGUID })
	row("link layer", func(e spec.HostEnvironment) string { return e.LinkLayer })
	row("RoCE mode", func(e spec.HostEnvironment) string { return e.RoCEMode })
	row("GID", func(e spec.HostEnvironment) string { return e.GID })
	row("GID index", func(e spec.HostEnvironment) string { return strconv.Itoa(e.GIDIndex) })
	row("MTU", func(e spec.HostEnvironment) string { return strconv.Itoa(e.MTU) })
	for _, name := range keys(env, func(e spec.HostEnvironment) map[string]string { return e.Libraries }) {
		row("library "+name, func(e spec.HostEnvironment) string { return e.Libraries[name] })
	}
	for _, name := range keys(env, func(e spec.HostEnvironment) map[string]string { return e.Modules }) {
		row("module "+name, func(e spec.HostEnvironment) string { return e.Modules[name] })
	}
	return h
}

// keys are those of all hosts' maps, sorted.
func keys(env spec.Environment, of func(spec.HostEnvironment) map[string]string) []string {
	all := map[string]bool{}
	for _, host := range env.Hosts {
		for key := range of(host) {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
