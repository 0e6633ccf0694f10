package spec

import (
	"fmt"
	"strconv"
)

// PortSpace is an enum rdma_port_space.
type PortSpace uint16

// Port spaces of rdma_create_id(3), with the numbers of rdma_cma.h.
const (
	PSIPoIB PortSpace = 0x0002
	PSTCP   PortSpace = 0x0106
	PSUDP   PortSpace = 0x0111
	PSIB    PortSpace = 0x013F
)

// String is the C name of the port space, or its number.
func (ps PortSpace) String() string {
	switch ps {
	case PSIPoIB:
		return "RDMA_PS_IPOIB"
	case PSTCP:
		return "RDMA_PS_TCP"
	case PSUDP:
		return "RDMA_PS_UDP"
	case PSIB:
		return "RDMA_PS_IB"
	}
	return fmt.Sprintf("port space %#x", uint16(ps))
}

// UDPQKey is the queue key of every RDMA_PS_UDP group (rdma_cma.h RDMA_UDP_QKEY).
const UDPQKey = 0x01234567

// MulticastQPN is the destination QP number of a multicast datagram (IBTA).
const MulticastQPN = 0xFFFFFF

// JoinFlags is the join_flags field of struct rdma_cm_join_mc_attr_ex: 32 bits in C, nothing truncated.
type JoinFlags uint32

// Join flags of rdma_join_multicast_ex(3).
const (
	FullMember     JoinFlags = 0
	SendOnlyMember JoinFlags = 1
)

// Bits of comp_mask in struct rdma_cm_join_mc_attr_ex.
const (
	JoinAttrAddress uint32 = 1
	JoinAttrFlags   uint32 = 2
)

// JoinAttr is a struct rdma_cm_join_mc_attr_ex.
type JoinAttr struct {
	CompMask  uint32    `json:"comp_mask"`
	JoinFlags JoinFlags `json:"join_flags"`
	Addr      Sockaddr  `json:"addr"`
}

// EPAttr is what rdma_create_ep takes: the parts of a struct rdma_addrinfo that multicast needs, and the QP.
type EPAttr struct {
	Passive bool        `json:"passive"` // RAI_PASSIVE: bind to Src; else resolve Dst, from Src if that is not NULL
	PS      PortSpace   `json:"ps"`
	QPType  QPType      `json:"qp_type"`
	Src     Sockaddr    `json:"src"`
	Dst     Sockaddr    `json:"dst"`
	QP      *QPInitAttr `json:"qp"` // NULL: no QP
}

// EventType is an enum rdma_cm_event_type.
type EventType int

// Event types of rdma_get_cm_event(3) that can reach a multicast program.
const (
	AddrResolved   EventType = 0
	AddrError      EventType = 1
	RouteResolved  EventType = 2
	RouteError     EventType = 3
	DeviceRemoval  EventType = 11
	MulticastJoin  EventType = 12
	MulticastError EventType = 13
	AddrChange     EventType = 14
)

var eventNames = map[EventType]string{
	AddrResolved: "ADDR_RESOLVED", AddrError: "ADDR_ERROR", RouteResolved: "ROUTE_RESOLVED", RouteError: "ROUTE_ERROR",
	DeviceRemoval: "DEVICE_REMOVAL", MulticastJoin: "MULTICAST_JOIN", MulticastError: "MULTICAST_ERROR",
	AddrChange: "ADDR_CHANGE",
}

// String is the name without RDMA_CM_EVENT_, or "event N".
func (t EventType) String() string {
	if name, ok := eventNames[t]; ok {
		return name
	}
	return "event " + strconv.Itoa(int(t))
}

// UnmarshalYAML reads an event type by its String, as in "MULTICAST_JOIN"; the error for another word lists them.
func (t *EventType) UnmarshalYAML(unmarshal func(any) error) error {
	return unmarshalName(unmarshal, "event", eventNames, t)
}

// Event is a struct rdma_cm_event as the caller finds it right after rdma_get_cm_event.
type Event struct {
	Ref      EventRef  `json:"ref"`
	ID       ID        `json:"id"`
	ListenID ID        `json:"listen_id"`
	Type     EventType `json:"type"`
	Status   int       `json:"status"`
	Errno    Errno     `json:"errno"` // errno after the call, which was zeroed before it
	UD       UDParam   `json:"ud"`
}

// UDParam is the struct rdma_ud_param of an event.
type UDParam struct {
	PrivateData    Context `json:"private_data"` // the pointer itself: of a multicast event it is the join's context
	PrivateDataLen uint8   `json:"private_data_len"`
	AH             AHAttr  `json:"ah"`
	QPNum          uint32  `json:"qp_num"`
	QKey           uint32  `json:"qkey"`
}

// IDState is what a program can read in its struct rdma_cm_id.
type IDState struct {
	HasVerbs bool   `json:"has_verbs"` // verbs != NULL: the id is bound to a device
	PortNum  uint8  `json:"port_num"`
	QP       QP     `json:"qp"`
	Event    *Event `json:"event"` // of a synchronous id, the last call's event, not yet acknowledged
}
