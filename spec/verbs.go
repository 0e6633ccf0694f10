package spec

import (
	"encoding/hex"
	"strconv"
)

// QPType is an enum ibv_qp_type.
type QPType int

// QP types of ibv_create_qp(3).
const (
	QPTypeRC QPType = 2
	QPTypeUD QPType = 4
)

// QPInitAttr is the part of a struct ibv_qp_init_attr that multicast needs; the CQs are the id's own.
type QPInitAttr struct {
	Type      QPType `json:"type"`
	MaxSendWR uint32 `json:"max_send_wr"`
	MaxRecvWR uint32 `json:"max_recv_wr"`

	// BlockSelfMcastLB is IBV_QP_CREATE_BLOCK_SELF_MCAST_LB, which takes rdma_create_qp_ex.
	BlockSelfMcastLB bool `json:"block_self_mcast_lb"`
}

// AHAttr is a struct ibv_ah_attr.
type AHAttr struct {
	IsGlobal   bool        `json:"is_global"`
	GRH        GlobalRoute `json:"grh"`
	DLID       uint16      `json:"dlid"`
	SL         uint8       `json:"sl"`
	StaticRate uint8       `json:"static_rate"`
	PortNum    uint8       `json:"port_num"`
}

// GlobalRoute is a struct ibv_global_route.
type GlobalRoute struct {
	DGID         GID    `json:"dgid"`
	FlowLabel    uint32 `json:"flow_label"`
	SGIDIndex    uint8  `json:"sgid_index"`
	HopLimit     uint8  `json:"hop_limit"`
	TrafficClass uint8  `json:"traffic_class"`
}

// DeviceAttr is the part of a struct ibv_device_attr that multicast needs.
type DeviceAttr struct {
	FWVer                 string `json:"fw_ver"`
	NodeGUID              string `json:"node_guid"`      // 16 hexadecimal digits
	SysImageGUID          string `json:"sys_image_guid"` // 16 hexadecimal digits
	MaxMcastGrp           uint32 `json:"max_mcast_grp"`
	MaxMcastQPAttach      uint32 `json:"max_mcast_qp_attach"`
	MaxTotalMcastQPAttach uint32 `json:"max_total_mcast_qp_attach"`
}

// GRHBytes is the room that a UD receive buffer keeps for the global route header, in bytes.
const GRHBytes = 40

// Bytes is a payload; it travels as hexadecimal.
type Bytes []byte

// MarshalText writes hexadecimal digits.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(b)), nil }

// UnmarshalText reads what MarshalText writes.
func (b *Bytes) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	*b = raw
	return err
}

// RecvWR posts one buffer of Size bytes, the 40 of the GRH included.
type RecvWR struct {
	WRID uint64 `json:"wr_id"`
	Size uint32 `json:"size"`
}

// SendWR posts one signaled UD datagram: IBV_WR_SEND, or IBV_WR_SEND_WITH_IMM when Imm is not nil.
type SendWR struct {
	WRID      uint64  `json:"wr_id"`
	AH        AH      `json:"ah"`
	RemoteQPN uint32  `json:"remote_qpn"`
	QKey      uint32  `json:"qkey"`
	Imm       *uint32 `json:"imm"` // host order
	Data      Bytes   `json:"data"`
}

// Queue is one of a QP's two completion queues.
type Queue int

// The completion queues of a QP.
const (
	SendQueue Queue = 0
	RecvQueue Queue = 1
)

// WCStatus is an enum ibv_wc_status.
type WCStatus int

// Statuses of ibv_poll_cq(3) that a datagram can end with.
const (
	WCSuccess    WCStatus = 0
	WCLocLenErr  WCStatus = 1
	WCLocQPOpErr WCStatus = 2
	WCLocProtErr WCStatus = 4
	WCWRFlushErr WCStatus = 5
	WCGeneralErr WCStatus = 21
)

var wcStatusNames = map[WCStatus]string{
	WCSuccess: "SUCCESS", WCLocLenErr: "LOC_LEN_ERR", WCLocQPOpErr: "LOC_QP_OP_ERR", WCLocProtErr: "LOC_PROT_ERR",
	WCWRFlushErr: "WR_FLUSH_ERR", WCGeneralErr: "GENERAL_ERR",
}

// String is the name without IBV_WC_, or "status N".
func (s WCStatus) String() string {
	if name, ok := wcStatusNames[s]; ok {
		return name
	}
	return "status " + strconv.Itoa(int(s))
}

// Completion is a struct ibv_wc; of a receive it carries the buffer too.
type Completion struct {
	WRID    uint64   `json:"wr_id"`
	Status  WCStatus `json:"status"`
	ByteLen uint32   `json:"byte_len"` // of a receive: payload plus 40
	HasGRH  bool     `json:"has_grh"`  // IBV_WC_GRH
	Imm     *uint32  `json:"imm"`      // host order; nil without IBV_WC_WITH_IMM
	SrcQP   uint32   `json:"src_qp"`
	SLID    uint16   `json:"slid"` // of InfiniBand: the sender's LID
	GRH     Bytes    `json:"grh"`  // the buffer's first 40 bytes, of a receive
	Data    Bytes    `json:"data"` // what follows them, ByteLen-40 bytes
}
