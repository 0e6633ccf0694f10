package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"

	"joinmcast/spec"
)

// observe reads what processes may have left behind, as far as the host claims to see it, and arms the warnings that
// fire once a boot for the next look.
func (h *host) observe(context.Context, none) (spec.HostState, error) {
	s := spec.HostState{
		IGMP: []spec.Membership{}, MLD: []spec.Membership{}, Filters: []spec.LinkFilter{},
		Resources: map[string]int{}, KernelLog: []string{},
	}
	var errs [6]error
	if h.claims[spec.SeesIGMP].Has {
		s.IGMP, errs[0] = readAs("/proc/net/igmp", parseIGMP)
		s.MLD, errs[1] = readAs("/proc/net/igmp6", parseMLD)
	}
	if h.claims[spec.SeesFilter].Has {
		s.Filters, errs[2] = readAs("/proc/net/dev_mcast", parseFilters)
	}
	if h.claims[spec.SeesRDMA].Has {
		s.Resources, errs[3] = resources(h.device)
	}
	if h.claims[spec.SeesKernel].Has {
		s.KernelLog, errs[4] = h.log.defects()
		s.Taint, errs[5] = readAs("/proc/sys/kernel/tainted", func(text string) (uint64, error) {
			return strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		})
	}
	if h.ours {
		armWarnings()
	}
	return s, errors.Join(errs[:]...)
}

// readAs parses a file; one that is not there, as igmp6 of a kernel without IPv6, gives nothing.
func readAs[T any](path string, parse func(string) (T, error)) (T, error) {
	var nothing T
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return parse("")
	}
	if err != nil {
		return nothing, err
	}
	return parse(string(text))
}

// resources counts the RDMA objects of a device by kind, those of the kernel's own included; of a device that is gone,
// none.
func resources(device string) (map[string]int, error) {
	list, err := netlink.RdmaResourceList()
	if err != nil {
		if devices, listErr := netlink.RdmaLinkList(); listErr == nil && len(devices) == 0 {
			return map[string]int{}, nil // of no device at all, the kernel answers nothing
		}
		return nil, fmt.Errorf("RDMA resources: %w", err)
	}
	count := map[string]int{}
	for _, r := range list {
		if r.Name != device {
			continue
		}
		for kind, n := range r.RdmaResourceSummaryEntries {
			count[kind] += int(n)
		}
	}
	return count, nil
}

// armWarnings lets WARN_ONCE fire again. A kernel without debugfs keeps them spent.
func armWarnings() {
	_ = os.WriteFile("/sys/kernel/debug/clear_warn_once", []byte("1"), 0)
}

// capabilities are those that this program can tell of; what the device can do, the suite asks libibverbs.
func (h *host) capabilities() spec.Capabilities {
	configure := spec.Evidence{Has: h.ours, How: "a guest of the suite"}
	if !h.ours {
		configure.How = "the host is not a guest of the suite"
	}
	_, rdma := resources(h.device)
	_, kernel := h.log.defects()
	return spec.Capabilities{
		spec.Configure:   configure,
		spec.RoCEModes:   offersBothModes(h.device),
		spec.HasMischief: h.program.canMischief(),
		spec.HasFaults:   {How: "nothing goes wrong in a live stack on command"},
		spec.SeesIGMP:    seen(readable("/proc/net/igmp"), "/proc/net/igmp"),
		spec.SeesFilter:  seen(readable("/proc/net/dev_mcast"), "/proc/net/dev_mcast"),
		spec.SeesRDMA:    seen(rdma, "netlink RDMA_NLDEV_CMD_RES_GET"),
		spec.SeesKernel:  seen(kernel, "/dev/kmsg and /proc/sys/kernel/tainted"),
	}
}

func seen(err error, what string) spec.Evidence {
	if err != nil {
		return spec.Evidence{How: err.Error()}
	}
	return spec.Evidence{Has: true, How: what}
}

func readable(path string) error {
	_, err := os.ReadFile(path)
	return err
}
