package kernel

import (
	"net"
	"net/netip"

	"joinmcast/sim/fabric"
	"joinmcast/spec"
)

// transport is what a port does in the way of its transport alone. It keeps nothing: what it is asked about is given.
type transport interface {
	// of is the transport's name in the law while the port is in a mode.
	of(spec.RoCEMode) spec.Transport
	// portGID is the GID that a port has by itself.
	portGID(net.HardwareAddr) netip.Addr
	// sourceGID finds the entry of the GID table that an id with a source address on a network device is bound to, if it
	// can be bound at all
	// (cma_validate_port).
	sourceGID(*device, *netdev, netip.Addr) (index int, ok bool)
	// resolveRoute starts rdma_resolve_route of an id whose address is resolved.
	resolveRoute(*cmID) error
	// qkey is the queue key of an id's groups and of its UD QP (cma_set_default_qkey).
	qkey(*cmID) (uint32, error)
	// joinMulticast is the port's part of rdma_join_multicast, once the id is checked. An error means that nothing has
	// begun; otherwise it ends in the membership's tell.
	joinMulticast(*membership, spec.Sockaddr) error
	// leaveMulticast ends what joinMulticast began (destroy_mc).
	leaveMulticast(*membership)
	// validMLID tells whether a QP can be attached with an MLID (ib_attach_mcast).
	validMLID(uint16) bool
	// addressHandle is the core's check of an address handle's attributes, and where they lead.
	addressHandle(*device, spec.AHAttr) (*ah, error)
	// mtu is how many bytes of payload a datagram can have.
	mtu(*device) int
	// transmit sends a datagram the way of an address handle. A copy for the sender's own host comes back by itself.
	transmit(*device, *ah, *fabric.Datagram)
}
