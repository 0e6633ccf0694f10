package spec

import (
	"net/netip"
)

// Port is an RDMA port and the network device behind it.
type Port struct {
	Device    string         `json:"device"` // as in "rxe0"
	Num       uint8          `json:"num"`    // from 1
	Netdev    string         `json:"netdev"`
	LinkLayer string         `json:"link_layer"` // "Ethernet" or "InfiniBand"
	MTU       int            `json:"mtu"`        // of the network device, in bytes
	Addrs     []netip.Prefix `json:"addrs"`      // of the network device, IPv4 first
}

// HostState is what processes may leave behind on a host.
type HostState struct {
	IGMP      []Membership   `json:"igmp"`       // IPv4 groups of every network device
	MLD       []Membership   `json:"mld"`        // IPv6 groups of every network device
	Filters   []LinkFilter   `json:"filters"`    // link-layer multicast filters
	Resources map[string]int `json:"resources"`  // RDMA objects of all processes, by kind: cm_id, qp, cq, pd, mr, ctx
	KernelLog []string       `json:"kernel_log"` // lines that tell of a defect since the world began: WARNING, BUG, Oops…
	Taint     uint64         `json:"taint"`      // /proc/sys/kernel/tainted
}

// Membership is one group a network device is a member of.
type Membership struct {
	Netdev string     `json:"netdev"`
	Group  netip.Addr `json:"group"`
	Users  int        `json:"users"`
}

// LinkFilter is one address in a network device's multicast filter.
type LinkFilter struct {
	Netdev string `json:"netdev"`
	Addr   string `json:"addr"` // as in "01:00:5e:01:02:03"
	Users  int    `json:"users"`
}

// Change is one alteration of a host; exactly one field is set.
type Change struct {
	AddRoute *Route      `json:"add_route,omitempty"`
	AddAddr  *NetdevAddr `json:"add_addr,omitempty"`
	DelAddr  *NetdevAddr `json:"del_addr,omitempty"`
	SetMTU   *MTUChange  `json:"set_mtu,omitempty"`
	SetLink  *LinkChange `json:"set_link,omitempty"`

	SetRoCEMode *RoCEModeChange `json:"set_roce_mode,omitempty"`

	AddNetdev    *NewNetdev    `json:"add_netdev,omitempty"`
	RemoveDevice *DeviceChange `json:"remove_device,omitempty"`
	SetSubnet    *SubnetChange `json:"set_subnet,omitempty"`
}

// SubnetChange is a new policy of the subnet manager of the host's first InfiniBand port. The subnet starts anew: no
// group is left but IPoIB's broadcast group, of which the hosts are members again.
type SubnetChange struct {
	NoSendOnly bool   `json:"no_send_only,omitempty"` // nobody may be a send-only full member
	QKey       uint32 `json:"qkey,omitempty"`         // of the broadcast group; 0: as it is
	MLIDs      int    `json:"mlids,omitempty"`        // how many groups there can be at a time; 0: as it is
}

// NewNetdev is a network device that a host is given. A VLAN lies on Parent; a dummy lies on nothing, and no RDMA
// device uses it. It comes up with its address.
type NewNetdev struct {
	Netdev string       `json:"netdev"`
	Parent string       `json:"parent,omitempty"` // of a VLAN; empty: a dummy
	VLAN   int          `json:"vlan,omitempty"`   // 1 to 4094
	Prefix netip.Prefix `json:"prefix"`
}

// DeviceChange takes an RDMA device away; its undo brings it back. While a process holds the device open the change
// has begun and not ended, so it is made beside the calls that let it go on (rdma link delete).
type DeviceChange struct {
	Device string `json:"device"`
}

// Route sends a prefix out of a network device.
type Route struct {
	Prefix netip.Prefix `json:"prefix"`
	Netdev string       `json:"netdev"`
}

// NetdevAddr is an address of a network device.
type NetdevAddr struct {
	Netdev string       `json:"netdev"`
	Prefix netip.Prefix `json:"prefix"`
}

// MTUChange sets a network device's MTU, in bytes.
type MTUChange struct {
	Netdev string `json:"netdev"`
	MTU    int    `json:"mtu"`
}

// RoCEModeChange sets the version of RoCE that ids on a port use from then on (default_roce_mode of rdma_cm's
// configfs). A port that does not offer it refuses.
type RoCEModeChange struct {
	Device string   `json:"device"`
	Port   uint8    `json:"port"` // from 1
	Mode   RoCEMode `json:"mode"`
}

// LinkChange sets a network device up or down.
type LinkChange struct {
	Netdev string `json:"netdev"`
	Up     bool   `json:"up"`
}

// Transport is what carries the datagrams; a requirement names those it speaks of.
type Transport string

// Transports of the law.
const (
	RoCEv2     Transport = "rocev2"
	RoCEv1     Transport = "rocev1"
	InfiniBand Transport = "ib"
	IWARP      Transport = "iwarp"
)

// RoCEMode is a version of RoCE as a port's default_roce_mode spells it; empty on another transport.
type RoCEMode string

// RoCE modes of Linux.
const (
	RoCEv1Mode RoCEMode = "IB/RoCE v1"
	RoCEv2Mode RoCEMode = "RoCE v2"
)

// Capability is something a stack or its host may lack for good reasons; a spec that needs one it lacks is skipped.
type Capability string

// Capabilities of the law.
const (
	UDQP        Capability = "ud-qp"       // the device has UD QPs
	McastQP     Capability = "mcast-qp"    // the device attaches QPs to groups
	TwoHosts    Capability = "two-hosts"   // there is a second host on the wire
	RoCEModes   Capability = "roce-modes"  // the port offers both versions of RoCE
	Configure   Capability = "configure"   // routes and addresses of the hosts are ours to change
	SeesIGMP    Capability = "sees-igmp"   // IGMP memberships can be observed
	SeesFilter  Capability = "sees-filter" // link-layer filters can be observed
	SeesRDMA    Capability = "sees-rdma"   // RDMA resources can be observed
	SeesKernel  Capability = "sees-kernel" // the kernel's log and taint can be observed
	HasMischief Capability = "mischief"    // hosts are Saboteurs
	HasFaults   Capability = "faults"      // hosts are Faulters
)

// AllCapabilities is every capability of the law.
func AllCapabilities() []Capability {
	return []Capability{
		UDQP, McastQP, TwoHosts, RoCEModes, Configure, SeesIGMP, SeesFilter, SeesRDMA, SeesKernel, HasMischief, HasFaults,
	}
}

// Capabilities is what a stack claims or lacks; a capability that is not named is lacking without evidence, which is an
// error of the backend.
type Capabilities map[Capability]Evidence

// Evidence says whether a capability is there, and how that is known.
type Evidence struct {
	Has bool   `json:"has"`
	How string `json:"how"` // as in "ibv_query_device: max_mcast_grp 8192"
}

// Environment is the certificate's ground: what was judged, read from the stack itself.
type Environment struct {
	Stack     string            `json:"stack"`              // "simulated", or "linux"
	Imitates  string            `json:"imitates,omitempty"` // of a simulated stack: where its truth is from
	Transport Transport         `json:"transport"`
	Nonce     string            `json:"nonce"`     // given to this run, read back from the stack
	Detectors []string          `json:"detectors"` // of the kernel: KASAN, lockdep…; empty when none is built in
	Hosts     []HostEnvironment `json:"hosts"`
}

// HostEnvironment is one host's part of the certificate.
type HostEnvironment struct {
	Name          string            `json:"name"`
	Nonce         string            `json:"nonce"`
	KernelRelease string            `json:"kernel_release"` // uname -r
	KernelVersion string            `json:"kernel_version"` // uname -v
	CommandLine   string            `json:"command_line"`   // /proc/cmdline
	RDMACore      string            `json:"rdma_core"`      // version of the package or tree the libraries came from
	Libraries     map[string]string `json:"libraries"`      // path as mapped by the agent -> build-id
	Modules       map[string]string `json:"modules"`        // loaded RDMA module -> build-id
	Driver        string            `json:"driver"`         // by the device's sysfs link
	Device        string            `json:"device"`
	Firmware      string            `json:"firmware"`
	NodeGUID      string            `json:"node_guid"`
	SysImageGUID  string            `json:"sys_image_guid"`
	LinkLayer     string            `json:"link_layer"`
	RoCEMode      string            `json:"roce_mode"` // the port's default_roce_mode
	GID           string            `json:"gid"`       // of the address the specs bind to, 32 hexadecimal digits
	GIDIndex      int               `json:"gid_index"`
	MTU           int               `json:"mtu"`
}
