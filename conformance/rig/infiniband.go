package rig

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"

	"joinmcast/spec"
)

// Signature is the part of an MGID on InfiniBand that says what it was made of.
type Signature uint16

// Signatures of groups of IP addresses (RFC 4391, section 4, and Linux cma_set_mgid for those of RDMA_PS_UDP).
const (
	UDPOfIPv4   Signature = 0x4001
	UDPOfIPv6   Signature = 0x6001
	IPoIBOfIPv4 Signature = 0x401b
	IPoIBOfIPv6 Signature = 0x601b
	Assigned    Signature = 0xa01b // the subnet administration has chosen it
)

// signatureOf is an MGID's signature.
func signatureOf(g spec.GID) Signature { return Signature(g[2])<<8 | Signature(g[3]) }

// GIDSigned is the group's MGID on InfiniBand with a signature, in the default partition and of link-local scope: it
// has the low 28 bits of an IPv4 address, or the low 80 of an IPv6 one.
func (g Group) GIDSigned(s Signature) spec.GID {
	mgid := spec.GID{0xff, 0x12, byte(s >> 8), byte(s), 0xff, 0xff}
	if g.Addr.Is4() {
		ip := g.Addr.As4()
		copy(mgid[12:], ip[:])
		mgid[12] &= 0x0f
		return mgid
	}
	ip := g.Addr.As16()
	copy(mgid[6:], ip[6:])
	return mgid
}

// onInfiniBand is the group's MGID for RDMA_PS_UDP.
func (g Group) onInfiniBand() spec.GID {
	if g.Addr.Is4() {
		return g.GIDSigned(UDPOfIPv4)
	}
	return g.GIDSigned(UDPOfIPv6)
}

// NameSignature is the signature of the group's own MGID, as in "4001"; of one that the subnet administration has
// chosen "assigned"; and "zero" or "other".
func NameSignature(mgid spec.GID, group Group) string {
	s := signatureOf(mgid)
	switch {
	case mgid == spec.GID{}:
		return "zero"
	case s == Assigned && mgid[0] == 0xff && mgid[1]&0xf0 == 0x10:
		return "assigned"
	case mgid == group.GIDSigned(s):
		return fmt.Sprintf("%04x", uint16(s))
	}
	return "other"
}

// anyMLID is one for groups whose own nobody has been told. Attaching by hand asks for no more than that it is one.
const anyMLID = 0xC000

// MLID goes with the group's MGID to ibv_attach_mcast. On Ethernet it means nothing and is 0; on InfiniBand it is what
// the last JOIN event of the group told.
func (g Group) MLID() uint16 {
	if world.transport != spec.InfiniBand {
		return 0
	}
	if mlid, ok := world.mlids[g.GID()]; ok {
		return mlid
	}
	return anyMLID
}

// learn keeps the MLID that a JOIN event tells.
func (w *World) learn(e spec.Event) {
	if e.Type == spec.MulticastJoin && w.transport == spec.InfiniBand {
		w.mlids[e.UD.AH.GRH.DGID] = e.UD.AH.DLID
	}
}

// MustKnowMLID has the group's MLID told before the spec begins: there is a member from now on, in a process of its
// own. On Ethernet there is nothing to know.
func MustKnowMLID(ctx context.Context, group Group) {
	ginkgo.GinkgoHelper()
	if world.transport == spec.InfiniBand {
		BoundID(ctx).MustBeMember(ctx, group)
	}
}

// BoundIDOf makes an id of a port space with a channel of its own, bound to the address of the process's host.
func (p *Process) BoundIDOf(ctx context.Context, ps spec.PortSpace) *ID {
	ginkgo.GinkgoHelper()
	id := p.UnboundID(ctx, ps)
	id.MustBind(ctx, p.Addr(ctx))
	return id
}
