package bench

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"joinmcast/sim/fabric"
	"joinmcast/sim/kernel"
	"joinmcast/sim/uabi"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// ipv4GID is the index of a port's GID that is its IPv4 address, behind that of its link-local one.
const ipv4GID = 1

// network is hosts on a switch, each with a QP that is attached to one group. The first host sends to it.
type network struct {
	b     *testing.B
	world *world.World
	hosts []endpoint
	ah    uabi.AH
}

// endpoint is the QP of a host.
type endpoint struct {
	verbs          uabi.Verbs
	sendCQ, recvCQ uabi.CQ
	qp             uabi.QP
}

func newNetwork(b *testing.B, hosts int) *network {
	b.Helper()
	kind, err := kernel.KindNamed(kernel.DefaultKind)
	must(b, err)
	n := &network{b: b, world: world.New(1)}
	wire := fabric.NewSwitch(n.world)
	for i := range hosts {
		number := i + 1
		addr := netip.AddrFrom4([4]byte{10, 0, byte(number >> 8), byte(number)})
		k := kernel.New(n.world, wire, kernel.Config{Devices: []kernel.Device{{
			Kind:  kind,
			MAC:   net.HardwareAddr{0x02, 0, 0, 0, byte(number >> 8), byte(number)},
			Addrs: []netip.Prefix{netip.PrefixFrom(addr, 16)},
		}}})
		n.world.Do(func() { n.boot(k, addr) })
	}
	return n
}

// boot joins the group on a host and attaches a QP to it.
func (n *network) boot(k *kernel.Kernel, addr netip.Addr) {
	p := k.NewProcess()
	fd, err := p.OpenCM()
	must(n.b, err)
	cm := p.CM(fd)
	id, err := cm.CreateID(uabi.CreateID{UID: 1, PS: spec.PSUDP})
	must(n.b, err)
	must(n.b, cm.BindAddr(id, spec.NewSockaddr(addr, 0)))
	to := group(1)
	_, err = cm.JoinMulticast(uabi.JoinMulticast{ID: id, UID: 1, Addr: to, AddrSize: len(to)})
	must(n.b, err)

	var e endpoint
	e.verbs, err = p.OpenDevice("rxe0")
	must(n.b, err)
	pd, err := e.verbs.AllocPD()
	must(n.b, err)
	e.sendCQ, err = e.verbs.CreateCQ(1)
	must(n.b, err)
	e.recvCQ, err = e.verbs.CreateCQ(1)
	must(n.b, err)
	e.qp, err = e.verbs.CreateQP(uabi.CreateQP{
		PD: pd, SendCQ: e.sendCQ, RecvCQ: e.recvCQ, Type: spec.QPTypeUD, MaxSendWR: 1, MaxRecvWR: 1,
	})
	must(n.b, err)
	init, err := cm.InitQPAttr(id, uabi.QPInit)
	must(n.b, err)
	for _, a := range []uabi.QPAttr{init, {State: uabi.QPRTR}, {State: uabi.QPRTS}} {
		must(n.b, e.verbs.ModifyQP(e.qp, a))
	}
	mgid := spec.MGIDOf(to.Addr())
	must(n.b, e.verbs.AttachMulticast(e.qp, mgid, 0))
	if len(n.hosts) == 0 {
		n.ah, err = e.verbs.CreateAH(pd, spec.AHAttr{
			IsGlobal: true, PortNum: 1, GRH: spec.GlobalRoute{DGID: mgid, SGIDIndex: ipv4GID, HopLimit: 1},
		})
		must(n.b, err)
	}
	n.hosts = append(n.hosts, e)
}

// send sends a datagram to every host and tells how long that took, by host.
func (n *network) send(payload spec.Bytes) (nsPerHost float64) {
	n.world.Do(func() {
		for _, e := range n.hosts {
			must(n.b, e.verbs.PostRecv(e.qp, spec.RecvWR{Size: uint32(spec.GRHBytes + len(payload))}))
		}
	})
	start := time.Now()
	n.world.Do(func() {
		first := n.hosts[0]
		must(n.b, first.verbs.PostSend(first.qp, uabi.SendWR{
			AH: n.ah, RemoteQPN: spec.MulticastQPN, QKey: spec.UDPQKey, Data: payload,
		}))
	})
	n.world.Settled(func() {})
	took := time.Since(start)
	n.world.Do(func() {
		for _, e := range n.hosts {
			wc, err := e.verbs.WaitCQ(e.recvCQ)
			if must(n.b, err); wc.Status != spec.WCSuccess {
				n.b.Fatalf("the completion is %+v", wc)
			}
		}
		_, err := n.hosts[0].verbs.WaitCQ(n.hosts[0].sendCQ)
		must(n.b, err)
	})
	return float64(took) / float64(len(n.hosts))
}

// BenchmarkHosts is a datagram to a member on each of 1,000 hosts, by host, beside the same with 100. The two take
// turns.
func BenchmarkHosts(b *testing.B) {
	few, many, payload := newNetwork(b, 100), newNetwork(b, 1000), make(spec.Bytes, payloadBytes)
	var ratios, of100, of1000 []float64
	for b.Loop() {
		x, y := few.send(payload), many.send(payload)
		ratios, of100, of1000 = append(ratios, y/x), append(of100, x), append(of1000, y)
	}
	b.ReportMetric(median(ratios), "x-linear")
	b.ReportMetric(median(of100), "of-100-ns/host")
	b.ReportMetric(median(of1000), "of-1000-ns/host")
}
