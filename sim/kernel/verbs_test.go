package kernel_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/kernel"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// device is an open device with what a QP needs.
type device struct {
	*host
	uabi.Verbs
	pd uabi.PD
	cq uabi.CQ
}

func newDevice(t *testing.T) *device {
	t.Helper()
	return openDevice(newHost(t))
}

func openDevice(h *host) *device {
	h.t.Helper()
	d := &device{host: h}
	var err error
	d.Verbs, err = d.process.OpenDevice("rxe0")
	d.Expect(err).NotTo(HaveOccurred())
	d.pd, err = d.AllocPD()
	d.Expect(err).NotTo(HaveOccurred())
	d.cq, err = d.CreateCQ(16)
	d.Expect(err).NotTo(HaveOccurred())
	return d
}

func (d *device) qp(kind spec.QPType) uabi.QP {
	q, err := d.CreateQP(uabi.CreateQP{PD: d.pd, SendCQ: d.cq, RecvCQ: d.cq, Type: kind, MaxRecvWR: 1, MaxSendWR: 1})
	d.Expect(err).NotTo(HaveOccurred())
	return q
}

var mgid = spec.MGIDOf(group.Addr())

func TestAttachIsNotCounted(t *testing.T) {
	d := newDevice(t)
	q := d.qp(spec.QPTypeUD)
	d.Expect(d.AttachMulticast(q, mgid, 0)).To(Succeed())
	d.Expect(d.AttachMulticast(q, mgid, 0)).To(Succeed())
	d.Expect(d.DetachMulticast(q, mgid, 7)).To(MatchError(spec.EINVAL), "the MLID is part of the key")
	d.Expect(d.DetachMulticast(q, mgid, 0)).To(Succeed())
	d.Expect(d.DetachMulticast(q, mgid, 0)).To(MatchError(spec.EINVAL))
}

func TestWhatCannotBeAttached(t *testing.T) {
	d := newDevice(t)
	ud := d.qp(spec.QPTypeUD)
	d.Expect(d.AttachMulticast(ud, spec.GID{}, 0)).To(MatchError(spec.EINVAL), "the zero GID")
	d.Expect(d.AttachMulticast(ud, spec.MGIDOf(local.Addr()), 0)).To(MatchError(spec.EINVAL), "a unicast address")
	d.Expect(d.AttachMulticast(d.qp(spec.QPTypeRC), mgid, 0)).To(MatchError(spec.EINVAL), "an RC QP")
	d.Expect(d.AttachMulticast(ud, spec.GID(v6[8:24]), 0)).To(Succeed(), "an IPv6 group")
}

func TestThe57thQPOfAGroupIsENOMEM(t *testing.T) {
	d := newDevice(t)
	var first uabi.QP
	for range 56 {
		first = d.qp(spec.QPTypeUD)
		d.Expect(d.AttachMulticast(first, mgid, 0)).To(Succeed())
	}
	last := d.qp(spec.QPTypeUD)
	d.Expect(d.AttachMulticast(last, mgid, 0)).To(MatchError(spec.ENOMEM))
	d.Expect(d.DetachMulticast(first, mgid, 0)).To(Succeed())
	d.Expect(d.AttachMulticast(last, mgid, 0)).To(Succeed())
}

func TestWhatIsInUseIsEBUSY(t *testing.T) {
	d := newDevice(t)
	q := d.qp(spec.QPTypeUD)
	d.Expect(d.AttachMulticast(q, mgid, 0)).To(Succeed())
	d.Expect(d.DestroyQP(q)).To(MatchError(spec.EBUSY))
	d.Expect(d.DestroyCQ(d.cq)).To(MatchError(spec.EBUSY))
	d.Expect(d.DeallocPD(d.pd)).To(MatchError(spec.EBUSY))
	d.Expect(d.DetachMulticast(q, mgid, 0)).To(Succeed())
	d.Expect(d.DestroyQP(q)).To(Succeed())
	d.Expect(d.DestroyCQ(d.cq)).To(Succeed())
	d.Expect(d.DeallocPD(d.pd)).To(Succeed())
}

func TestProcessExitFreesWhatIsInUse(t *testing.T) {
	d := newDevice(t)
	before := newHost(t).kernel.Observe()
	d.Expect(d.AttachMulticast(d.qp(spec.QPTypeUD), mgid, 0)).To(Succeed())
	d.run.Kill()
	d.Expect(d.kernel.Observe()).To(Equal(before))
}

func TestAnAttachSetsTheIPv6LinkFilter(t *testing.T) {
	d := newDevice(t)
	q := d.qp(spec.QPTypeUD)
	filter := spec.LinkFilter{Netdev: "eth0", Addr: "33:33:ef:01:02:03", Users: 1}
	d.Expect(d.AttachMulticast(q, mgid, 0)).To(Succeed())
	d.Expect(d.kernel.Observe().Filters).To(ContainElement(filter))
	d.Expect(d.DetachMulticast(q, mgid, 0)).To(Succeed())
	d.Expect(d.kernel.Observe().Filters).NotTo(ContainElement(filter))
}

func TestStepsOfAQP(t *testing.T) {
	d := newDevice(t)
	ud, rc := d.qp(spec.QPTypeUD), d.qp(spec.QPTypeRC)
	withQKey := uabi.QPAttr{State: uabi.QPInit, HasQKey: true, QKey: 1}
	d.Expect(d.ModifyQP(rc, withQKey)).To(MatchError(spec.EINVAL), "an RC QP takes no queue key")
	d.Expect(d.ModifyQP(ud, uabi.QPAttr{State: uabi.QPRTR})).To(MatchError(spec.EINVAL), "INIT comes first")
	d.Expect(d.PostRecv(ud, spec.RecvWR{})).To(MatchError(spec.EINVAL), "in RESET")
	d.Expect(d.ModifyQP(ud, withQKey)).To(Succeed())
	d.Expect(d.PostRecv(ud, spec.RecvWR{})).To(Succeed())
}

func TestAddressHandles(t *testing.T) {
	nobody := spec.MGIDOf(addr("192.168.100.9").Addr())
	good := spec.AHAttr{IsGlobal: true, PortNum: 1, GRH: spec.GlobalRoute{DGID: mgid, SGIDIndex: 1}}
	for name, c := range map[string]struct {
		change func(a *spec.AHAttr)
		want   error
	}{
		"not global":         {func(a *spec.AHAttr) { a.IsGlobal = false }, spec.EINVAL},
		"another port":       {func(a *spec.AHAttr) { a.PortNum = 2 }, spec.EINVAL},
		"a GID not there":    {func(a *spec.AHAttr) { a.GRH.SGIDIndex = 9 }, spec.ENODATA},
		"nobody answers ARP": {func(a *spec.AHAttr) { a.GRH.DGID = nobody }, spec.ETIMEDOUT},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t)
			a := good
			c.change(&a)
			_, err := d.CreateAH(d.pd, a)
			d.Expect(err).To(MatchError(c.want))
			h, err := d.CreateAH(d.pd, good)
			d.Expect(err).NotTo(HaveOccurred())
			d.Expect(d.DestroyAH(h)).To(Succeed())
		})
	}
}

func TestDeviceLimits(t *testing.T) {
	NewWithT(t).Expect(newDevice(t).QueryDevice()).To(Equal(spec.DeviceAttr{
		FWVer: "0.0.0", NodeGUID: "000000fffe000001", SysImageGUID: "000000fffe000001",
		MaxMcastGrp: 8192, MaxMcastQPAttach: 56, MaxTotalMcastQPAttach: 458752,
	}))
}

func TestTheEndOfAProcessFreesAQPWithTwoMLIDs(t *testing.T) {
	for name, c := range map[string]struct {
		deviates kernel.Deviations
		left     map[string]int
		warnings int
	}{
		"as promised":     {left: map[string]int{"qp": 0, "cq": 0, "pd": 0}},
		"as rxe does not": {kernel.Deviations{LosesQPsOfTwoMLIDs: true}, map[string]int{"qp": 1, "cq": 1, "pd": 1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := openDevice(newDeviatingHost(t, c.deviates))
			q := d.qp(spec.QPTypeUD)
			d.Expect(d.AttachMulticast(q, mgid, 1)).To(Succeed())
			d.Expect(d.AttachMulticast(q, mgid, 2)).To(Succeed())

			d.process.Exit()

			s := d.kernel.Observe()
			for kind, left := range c.left {
				d.Expect(s.Resources[kind]).To(Equal(left), kind)
			}
			d.Expect(s.KernelLog).To(HaveLen(c.warnings))
		})
	}
}
