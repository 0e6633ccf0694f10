package kernel_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
	"joinmcast/sim/kernel"
	"joinmcast/sim/sm"
	"joinmcast/sim/uabi"
	"joinmcast/sim/world"
	"joinmcast/spec"
)

// hca is a host with an InfiniBand device.
type hca struct {
	*host
	world *world.World
}

// hcaHost has an InfiniBand device in a subnet of this policy.
func hcaHost(t *testing.T, change func(*sm.Policy)) (*hca, *fabric.Subnet) {
	t.Helper()
	policy := sm.Default()
	if change != nil {
		change(&policy)
	}
	w := world.New(1)
	subnet := fabric.NewSubnet(w, policy)
	return &hca{bootHostIn(t, w, kernel.Config{Subnet: subnet}, "mlx4"), w}, subnet
}

// settle lets everything happen that is under way.
func (h *hca) settle() { h.world.Settled(func() {}) }

// boundIn is an id of a port space on the host's address. RDMA_PS_IB makes one of type UD.
func (h *host) boundIn(ps spec.PortSpace) uabi.CMID {
	var id uabi.CMID
	h.Expect(h.do(func() (err error) {
		id, err = h.cm.CreateID(uabi.CreateID{UID: 7, PS: ps, QPType: spec.QPTypeUD})
		return err
	})).To(Succeed())
	h.Expect(h.bind(id, local)).To(Succeed())
	return id
}

// told is the event of a join of a.
func (h *host) told(id uabi.CMID, a spec.Sockaddr) uabi.Event {
	_, err := h.join(id, a)
	h.Expect(err).NotTo(HaveOccurred())
	return h.event()
}

func (h *host) fault(f spec.SMFault) (undo func()) {
	undo, err := h.kernel.SubnetFault(f)
	h.Expect(err).NotTo(HaveOccurred())
	return undo
}

func TestInfiniBandMapsAnAddressByPortSpaceFamilyScopeAndPartition(t *testing.T) {
	assigned := "ff12:a01b:fe80::9"
	for _, c := range []struct {
		ps    spec.PortSpace
		addr  spec.Sockaddr
		scope uint8
		pkey  uint16
		mgid  string
	}{
		{spec.PSUDP, addr("239.1.2.3"), 2, 0xFFFF, "ff12:4001:ffff::f01:203"},
		{spec.PSUDP, addr("239.1.2.3"), 5, 0xFFFF, "ff15:4001:ffff::f01:203"},
		{spec.PSUDP, addr("239.1.2.3"), 2, 0x8001, "ff12:4001:8001::f01:203"},
		{spec.PSUDP, addr("10.0.0.1"), 2, 0xFFFF, "ff12:4001:ffff::a00:1"},
		{spec.PSUDP, addr("234.0.0.1"), 2, 0xFFFF, "ff12:4001:ffff::a00:1"},
		{spec.PSIPoIB, addr("239.1.2.3"), 2, 0xFFFF, "ff12:401b:ffff::f01:203"},
		{spec.PSIPoIB, addr("239.1.2.3"), 0xe, 0x8001, "ff1e:401b:8001::f01:203"},
		{spec.PSIB, addr("239.1.2.3"), 2, 0xFFFF, "ff12:401b:ffff::f01:203"},
		{spec.PSUDP, addr("ff1e:1:2:3:4:5:6:7"), 2, 0xFFFF, "ff12:6001:ffff:3:4:5:6:7"},
		{spec.PSUDP, addr("ff1e:1:2:3:4:5:6:7"), 5, 0x8001, "ff15:6001:8001:3:4:5:6:7"},
		{spec.PSIPoIB, addr("ff1e:1:2:3:4:5:6:7"), 2, 0xFFFF, "ff12:601b:ffff:3:4:5:6:7"},
		{spec.PSIB, addr("ff1e:1:2:3:4:5:6:7"), 2, 0xFFFF, "ff12:601b:ffff:3:4:5:6:7"},
		{spec.PSUDP, addr(assigned), 5, 0xFFFF, assigned},
		{spec.PSIPoIB, addr(assigned), 2, 0xFFFF, assigned},
		{spec.PSUDP, spec.NewSockaddrIB(addr("ff12::9").Addr().As16()), 5, 0xFFFF, "ff12::9"},
		{spec.PSIPoIB, spec.NewSockaddrIB(addr("ff12::9").Addr().As16()), 5, 0xFFFF, "ff12::9"},
		{spec.PSUDP, addr("0.0.0.0"), 2, 0xFFFF, "ff12:a01b:fe80::1"},
		{spec.PSUDP, addr("::"), 5, 0xFFFF, "ff15:a01b:fe80::1"},
		{spec.PSUDP, addr("127.0.0.1"), 2, 0xFFFF, "ff12:a01b:fe80::1"},
		{spec.PSIPoIB, spec.NewSockaddrIB(spec.GID{}), 2, 0xFFFF, "ff12:a01b:fe80::1"},
	} {
		h, _ := hcaHost(t, func(p *sm.Policy) { p.Scope, p.PKey = c.scope, c.pkey })

		e := h.told(h.boundIn(c.ps), c.addr)

		h.Expect(e.Type).To(Equal(spec.MulticastJoin))
		h.Expect(e.AH.GRH.DGID.String()).To(Equal(c.mgid), "%s, %s, scope %d, P_Key %#x", c.ps, c.addr, c.scope, c.pkey)
	}
}

func TestInfiniBandJoinTellsTheRecordsMLIDAndQKey(t *testing.T) {
	h, _ := hcaHost(t, nil)

	udp, ipoib := h.told(h.boundIn(spec.PSUDP), group), h.told(h.boundIn(spec.PSIPoIB), group)

	h.Expect(sm.IsMLID(udp.AH.DLID)).To(BeTrue())
	h.Expect(ipoib.AH.DLID).NotTo(Equal(udp.AH.DLID))
	h.Expect(udp.QKey).To(BeEquivalentTo(spec.UDPQKey))
	h.Expect(ipoib.QKey).To(Equal(sm.Default().QKey))
	h.Expect(udp.AH.IsGlobal).To(BeTrue())
	h.Expect(udp.QPNum).To(BeEquivalentTo(spec.MulticastQPN))
}

func TestGroupsOfOneMGIDMustAgreeOnTheQKey(t *testing.T) {
	h, _ := hcaHost(t, nil)
	h.Expect(h.told(h.boundIn(spec.PSIPoIB), group).Type).To(Equal(spec.MulticastJoin))

	e := h.told(h.boundIn(spec.PSIB), group) // the same MGID

	h.Expect(e.Type).To(Equal(spec.MulticastError))
	h.Expect(e.Status).To(Equal(-int(spec.EINVAL)))
}

func TestNoJoinWithoutTheBroadcastGroup(t *testing.T) {
	h, _ := hcaHost(t, nil)
	id := h.bound()
	down := spec.Change{SetLink: &spec.LinkChange{Netdev: "ib0"}}
	restore, err := h.kernel.Configure(down)
	h.Expect(err).NotTo(HaveOccurred())

	_, err = h.join(id, group)

	h.Expect(err).To(MatchError(spec.EADDRNOTAVAIL))
	restore()
	h.Expect(h.told(id, group).Type).To(Equal(spec.MulticastJoin))
}

func TestIDBoundByAGIDCannotJoin(t *testing.T) {
	h, _ := hcaHost(t, nil)
	id := h.create(spec.PSUDP)
	gid := addr("fe80::ff:fe00:1").Addr()
	h.Expect(h.bind(id, spec.NewSockaddrIB(gid.As16()))).To(Succeed())
	h.Expect(h.deviceOf(id)).To(Equal("mlx4_0"), "control: it is bound to the device")

	_, err := h.join(id, group)

	h.Expect(err).To(MatchError(spec.EADDRNOTAVAIL))
}

func TestWhatTheManagerDoesNotGrantIsToldByItsReason(t *testing.T) {
	for name, c := range map[string]struct {
		fault  spec.SMFault
		status spec.Errno
	}{
		"a refusal": {spec.SMFault{Refuse: 0x0700}, spec.EINVAL},
		"silence":   {spec.SMFault{Silent: true}, spec.ETIMEDOUT},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := hcaHost(t, nil)
			id := h.bound()
			undo := h.fault(c.fault)

			e := h.told(id, group)

			undo()
			h.Expect(e).To(Equal(uabi.Event{UID: 9, ID: id, Type: spec.MulticastError, Status: -int(c.status)}))
			h.Expect(h.told(id, group).Type).To(Equal(spec.MulticastJoin))
		})
	}
}

func TestEventOfTheSubnetEndsMembershipsAndIPoIBIsBackAtOnce(t *testing.T) {
	for _, event := range []spec.SMEvent{spec.ClientReregister, spec.LIDChange, spec.PKeyChange, spec.PortError} {
		t.Run(string(event), func(t *testing.T) {
			h, _ := hcaHost(t, nil)
			id := h.bound()
			h.Expect(h.told(id, group).Type).To(Equal(spec.MulticastJoin))

			h.fault(spec.SMFault{Event: event})

			lost := h.event()
			h.Expect(lost.Type).To(Equal(spec.MulticastError))
			h.Expect(lost.Status).To(Equal(-int(spec.ENETRESET)))
			h.Expect(h.told(id, addr("239.9.9.9")).Type).To(Equal(spec.MulticastJoin), "another group, at once")
		})
	}
}

func TestIPoIBJoinsAgainWhenARefusalIsOver(t *testing.T) {
	h, _ := hcaHost(t, nil)
	id := h.bound()
	undo := h.fault(spec.SMFault{Refuse: 0x0700})
	h.fault(spec.SMFault{Event: spec.ClientReregister})
	_, err := h.join(id, group)
	h.Expect(err).To(MatchError(spec.EADDRNOTAVAIL), "control: the broadcast group is refused")

	undo()

	h.Expect(h.told(id, group).Type).To(Equal(spec.MulticastJoin))
}

func TestSubnetHasRoomForSoManyGroups(t *testing.T) {
	h, _ := hcaHost(t, nil)
	id := h.bound()
	h.configure(spec.Change{SetSubnet: &spec.SubnetChange{MLIDs: 2}}) // the broadcast group is one

	m, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.event().Type).To(Equal(spec.MulticastJoin))
	h.Expect(h.told(id, addr("239.9.9.9")).Status).To(Equal(-int(spec.EINVAL)))
	h.Expect(h.do(func() error {
		_, err := h.cm.LeaveMulticast(m)
		return err
	})).To(Succeed())
	h.Expect(h.told(id, addr("239.9.9.9")).Type).To(Equal(spec.MulticastJoin))
}

func TestFullAndSendOnlyMembersOfAPortAreLeftOneByOne(t *testing.T) {
	h, subnet := hcaHost(t, nil)
	id := h.bound()
	far := spec.GID{0: 0xfe, 1: 0x80, 15: 77}
	subnet.AddPort(far, 2048)
	full, err := h.join(id, group)
	h.Expect(err).NotTo(HaveOccurred())
	e := h.event()
	_, err = h.joinRaw(uabi.JoinMulticast{
		ID: id, UID: 10, Addr: group, AddrSize: len(group), Flags: spec.SendOnlyMember,
	})
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(h.event().Type).To(Equal(spec.MulticastJoin))
	_, err = subnet.Join(sm.Record{MGID: e.AH.GRH.DGID, PortGID: far, JoinState: sm.SendOnlyFull}, 0)
	h.Expect(err).NotTo(HaveOccurred())
	h.Expect(subnet.Route(e.AH.DLID, far)).To(HaveLen(1), "control: the full member receives")

	h.Expect(h.do(func() error {
		_, err := h.cm.LeaveMulticast(full)
		return err
	})).To(Succeed())

	h.settle()
	h.Expect(subnet.Route(e.AH.DLID, far)).To(BeEmpty())
	_, err = subnet.Join(sm.Record{MGID: e.AH.GRH.DGID, PortGID: far, JoinState: sm.Full}, 0)
	h.Expect(err).NotTo(HaveOccurred(), "the group is still there")
}

func TestHostWithoutAnInfiniBandPortHasNoSubnetManager(t *testing.T) {
	h := newHost(t)
	_, fault := h.kernel.SubnetFault(spec.SMFault{Silent: true})
	_, change := h.kernel.Configure(spec.Change{SetSubnet: &spec.SubnetChange{}})

	h.Expect(fault).To(MatchError(ContainSubstring("no InfiniBand port")))
	h.Expect(change).To(MatchError(ContainSubstring("no InfiniBand port")))
}
