package rig

import (
	"encoding/binary"
	"fmt"

	"joinmcast/spec"
)

// WithScope is a group of IPv6 as the calls take it, with a sin6_scope_id.
func (g Group) WithScope(id uint32) spec.Sockaddr {
	s := g.Sockaddr()
	binary.LittleEndian.PutUint32(s[24:], id)
	return s
}

// WithFlowInfo is a group of IPv6 as the calls take it, with a sin6_flowinfo.
func (g Group) WithFlowInfo(flow uint32) spec.Sockaddr {
	s := g.Sockaddr()
	binary.BigEndian.PutUint32(s[4:], flow)
	return s
}

// GID is the group's MGID on the transport under test.
func (g Group) GID() spec.GID { return g.GIDOn(world.transport) }

// GIDOn is the group's MGID on a transport (JM-MAP): what Linux makes of it, on RoCE in
// cma_iboe_set_mgid, and on InfiniBand in cma_set_mgid for RDMA_PS_UDP.
func (g Group) GIDOn(t spec.Transport) spec.GID {
	if t == spec.InfiniBand {
		return g.onInfiniBand()
	}
	mgid := spec.MGIDOf(g.Addr)
	if t == spec.RoCEv1 && g.Addr.Is4() {
		mgid[0], mgid[1] = 0xff, 0x0e
	}
	return mgid
}

// MAC is the link-layer address of the group's datagrams on the transport under test, as host states spell it: that of
// the IPv4 group on RoCEv2 (RFC 1112), that of the MGID on RoCEv1 (IBTA annex A16, RFC 2464).
func (g Group) MAC() string {
	b := g.GID()
	if world.transport == spec.RoCEv1 {
		return fmt.Sprintf("33:33:%02x:%02x:%02x:%02x", b[12], b[13], b[14], b[15])
	}
	return fmt.Sprintf("01:00:5e:%02x:%02x:%02x", b[13]&0x7f, b[14], b[15])
}
