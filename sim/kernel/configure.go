package kernel

import (
	"errors"
	"fmt"
	"slices"

	"joinmcast/spec"
)

// Configure alters the host and gives what takes the alteration back. Errors say which part of the change this host
// cannot make.
func (k *Kernel) Configure(c spec.Change) (undo func(), err error) {
	switch {
	case c.AddRoute != nil:
		return k.addRoute(*c.AddRoute)
	case c.AddAddr != nil:
		return k.changeAddr(*c.AddAddr, false)
	case c.DelAddr != nil:
		return k.changeAddr(*c.DelAddr, true)
	case c.SetMTU != nil:
		return k.setMTU(*c.SetMTU)
	case c.SetLink != nil:
		n, err := k.netdev(c.SetLink.Netdev)
		if err != nil {
			return nil, err
		}
		old := n.up
		k.setLink(n, c.SetLink.Up)
		return func() { k.setLink(n, old) }, nil
	case c.SetRoCEMode != nil:
		return k.setRoCEMode(*c.SetRoCEMode)
	case c.AddNetdev != nil:
		return k.addNetdev(*c.AddNetdev)
	case c.SetSubnet != nil:
		return k.setSubnet(*c.SetSubnet)
	}
	return nil, errors.New("the change is empty: one of its fields must be set")
}

func (k *Kernel) addRoute(r spec.Route) (undo func(), err error) {
	if _, err := k.netdev(r.Netdev); err != nil {
		return nil, err
	}
	if slices.Contains(k.routes, r) {
		return nil, fmt.Errorf("there is a route to %s through %s already", r.Prefix, r.Netdev)
	}
	k.routes = append(k.routes, r)
	return func() { k.routes = slices.DeleteFunc(k.routes, func(o spec.Route) bool { return o == r }) }, nil
}
