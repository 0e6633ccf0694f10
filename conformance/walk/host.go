package walk

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"joinmcast/spec"
)

// toHost does to a host what is no call of a process.
func (r *run) toHost(ctx context.Context, s Step) (string, error) {
	number := hostOf(s.By)
	if err := r.ground.use(ctx, r, number); err != nil {
		return "", err
	}
	host := r.ground.hosts[number]
	switch s.Call {
	case Observe:
		state, err := host.Observe(ctx)
		return r.difference(r.ground.base[number], state), err
	case Kill:
		exit, err := r.agents[s.By].Kill(ctx)
		r.board.procs[s.By].ended = true
		for _, f := range r.agents[s.By].open {
			<-f.done
		}
		r.agents[s.By].open = nil
		return exit.String(), errors.Join(err, r.awaitRemoval(ctx))
	case Undo:
		name := s.symbol("change")
		r.board.changes[name] = false
		return "0", r.undo[name](ctx)
	case Configure:
		var change spec.Change
		resolved, _ := r.symbols.resolve(s.Args)
		if err := into(resolved, &change); err != nil {
			return "", fmt.Errorf("%s: %w", s, err)
		}
		if change.RemoveDevice != nil {
			r.shifted = true
			return r.removeDevice(ctx, host.(spec.Configurer), change)
		}
		undo, err := host.(spec.Configurer).Configure(ctx, change)
		if err != nil {
			return "", err
		}
		r.shifted = r.shifted || shiftsGIDs(change)
		r.undo[s.Gives], r.board.changes[s.Gives] = undo, true
		r.symbols.values[s.Gives] = s.Gives
		return "0", nil
	}
	return "", fmt.Errorf("nothing named %q can be done to a host", s.Call)
}

// shiftsGIDs tells of a change after which a GID may have another index, also when it is taken back: the kernel keeps
// an entry that an id still uses, and gives the address that comes back the next one.
func shiftsGIDs(c spec.Change) bool {
	return c.SetMTU == nil && (c.AddNetdev == nil || c.AddNetdev.Parent != "")
}

// difference is what a host has that it had not before, and the other way round, by symbols.
func (r *run) difference(before, now spec.HostState) string {
	var parts []string
	unplugged := len(now.Resources) < len(before.Resources) // a kernel shows them by device
	if unplugged {
		parts = append(parts, "no device")
	}
	users := func(s spec.HostState) map[string]int {
		count := map[string]int{}
		for _, m := range slices.Concat(s.IGMP, s.MLD) {
			if r.isPorts(m.Netdev) {
				count["netdev in "+r.symbols.addrName(m.Group)] += m.Users
			}
		}
		for _, f := range s.Filters {
			if r.isPorts(f.Netdev) {
				count["netdev lets "+r.symbols.link(f.Addr)] += f.Users
			}
		}
		for kind, n := range s.Resources {
			if !unplugged && kind != "mr" { // they are of the memory that the agent sends from and receives in
				count[kind] += n
			}
		}
		return count
	}
	old, fresh := users(before), users(now)
	for key, n := range fresh {
		if d := n - old[key]; d != 0 {
			parts = append(parts, fmt.Sprintf("%s %+d", key, d))
		}
	}
	for key, n := range old {
		if _, ok := fresh[key]; !ok && n != 0 {
			parts = append(parts, fmt.Sprintf("%s %+d", key, -n))
		}
	}
	slices.Sort(parts)
	if lines := newLines(before, now); len(lines) > 0 {
		parts = append(parts, fmt.Sprintf("log: %q", lines))
	}
	if now.Taint != before.Taint {
		parts = append(parts, "tainted")
	}
	if len(parts) == 0 {
		return "as before"
	}
	return strings.Join(parts, ", ")
}

// newLines are the defects that the kernel has logged since.
func newLines(before, now spec.HostState) []string {
	if len(now.KernelLog) <= len(before.KernelLog) {
		return nil
	}
	return now.KernelLog[len(before.KernelLog):]
}

// isPorts tells the network device of the RDMA port. What becomes of others, Linux does in its own time.
func (r *run) isPorts(netdev string) bool { return netdev == r.symbols.values["netdev"] }

// local is the port under test, with its first IPv4 address.
func local(ports []spec.Port) (port spec.Port, addr netip.Addr, ok bool) {
	for _, port := range ports {
		for _, a := range port.Addrs {
			if a.Addr().Is4() {
				return port, a.Addr(), true
			}
		}
	}
	return spec.Port{}, netip.Addr{}, false
}
