package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// A step changes something by netlink and returns when the kernel shows it.
type step func(context.Context) error

func (h *host) configure(ctx context.Context, c spec.Change) (wire.ConfigureAnswer, error) {
	if !h.ours {
		return wire.ConfigureAnswer{}, errors.New("configure: this host is not a guest of the suite")
	}
	do, undo, err := h.plan(c)
	if err != nil {
		return wire.ConfigureAnswer{}, fmt.Errorf("configure: %w", err)
	}
	h.mu.Lock()
	h.configured = true
	h.mu.Unlock()
	if err := do(ctx); err != nil {
		return wire.ConfigureAnswer{}, fmt.Errorf("configure: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	number := h.lastUndo + 1
	h.lastUndo = number
	h.undos[number] = undo
	return wire.ConfigureAnswer{Undo: number}, nil
}

func (h *host) undo(ctx context.Context, p wire.UndoParams) (none, error) {
	h.mu.Lock()
	undo, ok := h.undos[p.Undo]
	delete(h.undos, p.Undo)
	h.mu.Unlock()
	if !ok {
		return none{}, fmt.Errorf("undo %d: no such change, or already taken back", p.Undo)
	}
	return none{}, undo(ctx)
}

// plan is a change and its undo.
func (h *host) plan(c spec.Change) (do, undo step, err error) {
	var plans []func() (do, undo step, err error)
	if c.AddRoute != nil {
		plans = append(plans, func() (step, step, error) { return planRoute(*c.AddRoute) })
	}
	if c.AddAddr != nil {
		plans = append(plans, func() (step, step, error) { return h.planAddr(*c.AddAddr) })
	}
	if c.DelAddr != nil {
		plans = append(plans, func() (step, step, error) {
			add, del, err := h.planAddr(*c.DelAddr)
			return del, add, err
		})
	}
	if c.SetMTU != nil {
		plans = append(plans, func() (step, step, error) { return planMTU(*c.SetMTU) })
	}
	if c.SetLink != nil {
		plans = append(plans, func() (step, step, error) { return h.planLink(*c.SetLink) })
	}
	if c.SetRoCEMode != nil {
		plans = append(plans, func() (step, step, error) { return planRoCEMode(*c.SetRoCEMode) })
	}
	if c.AddNetdev != nil {
		plans = append(plans, func() (step, step, error) { return h.planNetdev(*c.AddNetdev) })
	}
	if c.RemoveDevice != nil {
		plans = append(plans, func() (step, step, error) { return h.planDevice(*c.RemoveDevice) })
	}
	if len(plans) != 1 {
		return nil, nil, fmt.Errorf("%d changes in one: want exactly one", len(plans))
	}
	before, err := h.lookAtPort()
	if err != nil {
		return nil, nil, err
	}
	do, takeBack, err := plans[0]()
	return do, func(ctx context.Context) error {
		if err := takeBack(ctx); err != nil {
			return err
		}
		return await(ctx, "the port under test as it was", func() bool { return h.hasBack(before) })
	}, err
}

func planRoute(r spec.Route) (do, undo step, err error) {
	link, err := linkByName(r.Netdev)
	if err != nil {
		return nil, nil, err
	}
	route := &netlink.Route{LinkIndex: link.Attrs().Index, Dst: ipNet(r.Prefix.Masked()), Scope: netlink.SCOPE_LINK}
	do = func(context.Context) error {
		return named(netlink.RouteAdd(route), "add route %s dev %s", r.Prefix, r.Netdev)
	}
	undo = func(context.Context) error {
		err := netlink.RouteDel(route)
		if errors.Is(err, unix.ESRCH) {
			return nil // it went with its link
		}
		return named(err, "delete route %s dev %s", r.Prefix, r.Netdev)
	}
	return do, undo, nil
}

func linkByName(name string) (netlink.Link, error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return nil, fmt.Errorf("network device %q: %w", name, err)
	}
	return link, nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

// named says what an error is of.
func named(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// trimmed is a small file's content, empty when it cannot be read.
func trimmed(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}
