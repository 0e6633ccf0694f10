package kernel_test

import (
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/kernel"
	"joinmcast/sim/sm"
	"joinmcast/sim/uabi"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

func TestASendOnlyJoinThatTheSubnetDoesNotHaveIsRefusedAtOnceBefore512(t *testing.T) {
	for release, atOnce := range map[string]bool{"5.10.262": true, "5.12": false, "": false} {
		t.Run(release, func(t *testing.T) {
			policy := sm.Default()
			policy.SendOnly = false
			w := world.New(1)
			subnet := fabric.NewSubnet(w, policy)
			h := bootHostIn(t, w, kernel.Config{Subnet: subnet, Release: kernel.ReleaseOf(release, "")}, "mlx4")

			_, err := h.joinRaw(uabi.JoinMulticast{
				ID: h.bound(), UID: 9, Addr: group, AddrSize: len(group), Flags: spec.SendOnlyMember,
			})

			if atOnce {
				h.Expect(err).To(MatchError(spec.EOPNOTSUPP))
				return
			}
			h.Expect(err).NotTo(HaveOccurred())
			h.Expect(h.event().Type).To(Equal(spec.MulticastError))
		})
	}
}

func TestAGroupFromTheLoopbackAddressIsRefusedAtOnceBefore618(t *testing.T) {
	for release, atOnce := range map[string]bool{"6.12.118": true, "7.2.13": false, "": true} {
		t.Run(release, func(t *testing.T) {
			h := bootHostIn(t, world.New(1), kernel.Config{Release: kernel.ReleaseOf(release, "")}, "rxe")

			err := h.resolve(h.create(spec.PSUDP), addr("127.0.0.1"), group)

			if atOnce {
				h.Expect(err).To(MatchError(spec.ENODEV))
				return
			}
			h.Expect(err).NotTo(HaveOccurred())
			e := h.event()
			h.Expect(e.Type).To(Equal(spec.AddrError))
			h.Expect(e.Status).To(Equal(-int(spec.ENODEV)))
		})
	}
}

func TestASendWhoseSourceHasGoneEndsItsQPByRelease(t *testing.T) {
	for release, status := range map[string]spec.WCStatus{
		"5.10.262": spec.WCLocProtErr, "6.1.192": spec.WCLocQPOpErr, "6.12.118": spec.WCWRFlushErr, "": spec.WCLocQPOpErr,
	} {
		t.Run(release, func(t *testing.T) {
			NewWithT(t).Expect(sendWithoutSource(t, release, 8)).To(Equal(status))
		})
	}
}

func TestASendThatDoesNotFitLooksForNoSource(t *testing.T) {
	NewWithT(t).Expect(sendWithoutSource(t, "", 4096)).To(Equal(spec.WCSuccess))
}

func TestASendOnAQPInErrorCompletesByRelease(t *testing.T) {
	for release, completes := range map[string]bool{"5.10.262": false, "6.1.192": true, "7.2.13": true, "": true} {
		t.Run(release, func(t *testing.T) {
			h, d, q, ah := sourceless(t, kernel.ReleaseOf(release, ""))
			d.Expect(d.PostSend(q, uabi.SendWR{AH: ah})).To(Succeed())
			d.Expect(h.do(func() error { _, err := d.WaitCQ(d.cq); return err })).To(Succeed(), "the QP is in error now")

			d.Expect(d.PostSend(q, uabi.SendWR{AH: ah, WRID: 7})).To(Succeed())

			var late spec.Completion
			err := h.do(func() (err error) { late, err = d.WaitCQ(d.cq); return err })
			if !completes {
				d.Expect(err).To(HaveOccurred(), "nothing can wake it")
				return
			}
			d.Expect(err).NotTo(HaveOccurred())
			d.Expect(late).To(Equal(spec.Completion{WRID: 7, Status: spec.WCWRFlushErr}))
		})
	}
}

func TestAFullSendQueueIsENOMEM(t *testing.T) {
	for rdmaCore, want := range map[string]spec.Errno{"33.2": -spec.ENOMEM, "44.0": spec.ENOMEM, "": spec.ENOMEM} {
		t.Run(rdmaCore, func(t *testing.T) {
			_, d, q, ah := sourceless(t, kernel.ReleaseOf("6.1.192", rdmaCore))
			var err error
			for range 1000 {
				if err = d.PostSend(q, uabi.SendWR{AH: ah}); err != nil {
					break
				}
			}
			d.Expect(err).To(MatchError(want))
		})
	}
}

// sendWithoutSource is how a multicast send of so many bytes completes once its source address has gone.
func sendWithoutSource(t *testing.T, release string, bytes int) (status spec.WCStatus) {
	t.Helper()
	h, d, q, ah := sourceless(t, kernel.ReleaseOf(release, ""))

	d.Expect(d.PostSend(q, uabi.SendWR{AH: ah, Data: make(spec.Bytes, bytes)})).To(Succeed())

	d.Expect(h.do(func() error {
		wc, err := d.WaitCQ(d.cq)
		status = wc.Status
		return err
	})).To(Succeed())
	return status
}

// sourceless is a QP that can send, with an address handle whose source address has gone.
func sourceless(t *testing.T, release kernel.Release) (h *host, d *device, q uabi.QP, ah uabi.AH) {
	t.Helper()
	h = bootHostIn(t, world.New(1), kernel.Config{Release: release}, "rxe")
	d = openDevice(h)
	q = d.qp(spec.QPTypeUD)
	d.Expect(d.ModifyQP(q, uabi.QPAttr{State: uabi.QPInit, HasQKey: true})).To(Succeed())
	d.Expect(d.ModifyQP(q, uabi.QPAttr{State: uabi.QPRTR})).To(Succeed())
	d.Expect(d.ModifyQP(q, uabi.QPAttr{State: uabi.QPRTS})).To(Succeed())
	ah, err := d.CreateAH(d.pd, spec.AHAttr{
		IsGlobal: true, PortNum: 1, GRH: spec.GlobalRoute{DGID: spec.MGIDOf(group.Addr()), SGIDIndex: 1},
	})
	d.Expect(err).NotTo(HaveOccurred())
	h.configure(spec.Change{DelAddr: &spec.NetdevAddr{
		Netdev: "eth0", Prefix: netip.MustParsePrefix("192.168.100.1/24"),
	}})
	return h, d, q, ah
}
