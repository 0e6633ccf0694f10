package kernel

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"joinmcast/sim/fabric"
	"joinmcast/sim/fifo"
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// verbsContext is one open uverbs file with its objects (struct ib_uverbs_file).
type verbsContext struct {
	process *Process
	device  *device
	pds     map[uabi.PD]*pd
	cqs     map[uabi.CQ]*cq
	qps     map[uabi.QP]*qp
	ahs     map[uabi.AH]*ah
	last    uint32 // handle given out
}

type pd struct{ users int }

type cq struct {
	users int
	done  fifo.Queue[spec.Completion]
}

type ah struct {
	pd  *pd
	grh spec.GlobalRoute

	// On Ethernet.
	netdev   *netdev // that the source address is of
	src, dst netip.Addr
	mode     spec.RoCEMode // of the source
	mac      fabric.MAC

	// On InfiniBand.
	global bool
	dlid   uint16
	sl     uint8
}

// QueryDevice tells the device's limits.
func (c *verbsContext) QueryDevice() (spec.DeviceAttr, error) { return c.device.attr(), nil }

// AllocPD makes a protection domain.
func (c *verbsContext) AllocPD() (uabi.PD, error) {
	c.last++
	c.pds[uabi.PD(c.last)] = &pd{}
	c.device.kernel.resources["pd"]++
	return uabi.PD(c.last), nil
}

// DeallocPD frees an unused protection domain.
func (c *verbsContext) DeallocPD(h uabi.PD) error {
	p, ok := c.pds[h]
	switch {
	case !ok:
		return spec.EINVAL
	case p.users > 0:
		return spec.EBUSY
	}
	delete(c.pds, h)
	c.device.kernel.resources["pd"]--
	return nil
}

// CreateCQ makes a completion queue.
func (c *verbsContext) CreateCQ(uint32) (uabi.CQ, error) {
	c.last++
	c.cqs[uabi.CQ(c.last)] = &cq{}
	c.device.kernel.resources["cq"]++
	return uabi.CQ(c.last), nil
}

// DestroyCQ frees an unused completion queue.
func (c *verbsContext) DestroyCQ(h uabi.CQ) error {
	q, ok := c.cqs[h]
	switch {
	case !ok:
		return spec.EINVAL
	case q.users > 0:
		return spec.EBUSY
	}
	delete(c.cqs, h)
	c.device.kernel.resources["cq"]--
	return nil
}

// CreateQP makes a QP in RESET.
func (c *verbsContext) CreateQP(r uabi.CreateQP) (uabi.QP, error) {
	domain, send, recv := c.pds[r.PD], c.cqs[r.SendCQ], c.cqs[r.RecvCQ]
	if domain == nil || send == nil || recv == nil || r.Type != spec.QPTypeRC && r.Type != spec.QPTypeUD {
		return 0, spec.EINVAL
	}
	d := c.device
	if r.Type == spec.QPTypeUD && !d.kind.udQPs {
		return 0, spec.EOPNOTSUPP
	}
	d.lastQP++
	q := &qp{
		device: d, num: d.lastQP, qpType: r.Type, pd: domain, sendCQ: send, recvCQ: recv,
		attached: map[attachment]bool{},
	}
	q.sendRoom, q.recvRoom = queueRoom(r.MaxSendWR), queueRoom(r.MaxRecvWR)
	domain.users++
	send.users++
	recv.users++
	d.qps[q.num], c.qps[q.num] = q, q
	d.kernel.resources["qp"]++
	return q.num, nil
}

// ModifyQP takes a QP one step on.
func (c *verbsContext) ModifyQP(h uabi.QP, a uabi.QPAttr) error {
	q, ok := c.qps[h]
	if !ok || a.State != q.state+1 {
		return spec.EINVAL
	}
	if a.State == uabi.QPInit {
		if isUD := q.qpType == spec.QPTypeUD; a.HasQKey != isUD || a.HasAccess == isUD {
			return spec.EINVAL
		}
		privileged := c.process.euid == 0 || c.device.kernel.deviates.InfiniBand.GrantsAnyQKey
		if a.QKey&privilegedQKey != 0 && !privileged {
			return spec.EPERM
		}
		q.qkey = a.QKey
	}
	q.state = a.State
	return nil
}

// privilegedQKey is the bit of a queue key that only CAP_NET_RAW may give a QP (IB_QP_SET_QKEY).
const privilegedQKey = 1 << 31

// DestroyQP frees a QP that is attached to nothing (uverbs_free_qp).
func (c *verbsContext) DestroyQP(h uabi.QP) error {
	q, ok := c.qps[h]
	switch {
	case !ok:
		return spec.EINVAL
	case len(q.attached) > 0 && !c.device.kernel.deviates.Ending.FreesAttached:
		return spec.EBUSY
	}
	for at := range q.attached {
		_ = c.device.detach(q, at.group)
	}
	c.freeQP(q)
	return nil
}

func (c *verbsContext) freeQP(q *qp) {
	q.pd.users--
	q.sendCQ.users--
	q.recvCQ.users--
	delete(c.qps, q.num)
	delete(c.device.qps, q.num)
	if !q.held {
		c.device.kernel.resources["qp"]--
	}
}

// attachment is the key of uverbs' list of a QP's groups.
type attachment struct {
	group spec.GID
	mlid  uint16
}

// AttachMulticast attaches a QP: uverbs' own list first, then the core's checks, then the driver.
func (c *verbsContext) AttachMulticast(h uabi.QP, g spec.GID, mlid uint16) error {
	deviates := &c.device.kernel.deviates
	if !c.device.kind.attaches {
		if deviates.Verbs.LackIsENOSYS {
			return spec.ENOSYS
		}
		return spec.EOPNOTSUPP
	}
	q, ok := c.qps[h]
	if !ok {
		return spec.EINVAL
	}
	at := attachment{g, mlid}
	switch isAttached := q.attached[at]; {
	case isAttached && deviates.AttachesOnce:
		return spec.EINVAL
	case isAttached && !deviates.Datagram.AttachesTwice:
		if deviates.Verbs.CountsAttaches {
			q.again = append(q.again, at)
		}
		return nil
	}
	if err := q.mayAttach(g, mlid); err != nil {
		return err
	}
	if err := c.device.attach(q, g); err != nil {
		return err
	}
	q.attached[at] = true
	return nil
}

// mayAttach is ib_attach_mcast's check.
func (q *qp) mayAttach(g spec.GID, mlid uint16) error {
	deviates := &q.device.kernel.deviates
	mlidFits := q.device.kind.transport.validMLID(mlid) || deviates.InfiniBand.AttachesAnyMLID
	if deviates.Verbs.RefusesPermissive && mlid == 0xffff {
		return spec.EINVAL
	}
	fits := (isMulticast(g) || deviates.Address.takesFor(g)) && mlidFits &&
		(q.qpType == spec.QPTypeUD || deviates.Verbs.AttachesConnected)
	if !fits && !deviates.AttachesUnchecked {
		return spec.EINVAL
	}
	return nil
}

// takesFor tells whether a deviation takes a GID that is not multicast for one that is.
func (d *AddressDeviations) takesFor(g spec.GID) bool {
	const classE = 0xf0
	isMapped := netip.AddrFrom16(g).Is4In6()
	return isMapped && (d.AttachesMapped || d.AttachesClassE && g[12] >= classE)
}

// DetachMulticast detaches a QP from a pair that is in its list.
func (c *verbsContext) DetachMulticast(h uabi.QP, g spec.GID, mlid uint16) error {
	if !c.device.kind.attaches {
		return spec.EOPNOTSUPP
	}
	q, ok := c.qps[h]
	if !ok {
		return spec.EINVAL
	}
	at := attachment{g, mlid}
	if !q.attached[at] {
		if c.device.kernel.deviates.Verbs.DetachesUnattached {
			return nil
		}
		return spec.EINVAL
	}
	if i := slices.Index(q.again, at); i >= 0 {
		q.again = slices.Delete(q.again, i, i+1)
		return nil
	}
	delete(q.attached, at)
	return c.device.detach(q, g)
}

// CreateAH makes an address handle.
func (c *verbsContext) CreateAH(h uabi.PD, a spec.AHAttr) (uabi.AH, error) {
	domain, ok := c.pds[h]
	if !ok {
		return 0, spec.EINVAL
	}
	n, err := c.device.kind.transport.addressHandle(c.device, a)
	if err != nil {
		return 0, err
	}
	n.pd = domain
	c.last++
	domain.users++
	c.ahs[uabi.AH(c.last)] = n
	return uabi.AH(c.last), nil
}

// DestroyAH frees an address handle.
func (c *verbsContext) DestroyAH(h uabi.AH) error {
	a, ok := c.ahs[h]
	if !ok {
		return spec.EINVAL
	}
	a.pd.users--
	delete(c.ahs, h)
	return nil
}

// WouldWait tells whether a queue has no completion.
func (c *verbsContext) WouldWait(h uabi.CQ) bool {
	q, ok := c.cqs[h]
	return ok && q.done.Len() == 0
}

// WaitCQ sleeps until a completion can be taken.
func (c *verbsContext) WaitCQ(h uabi.CQ) (spec.Completion, error) {
	q, ok := c.cqs[h]
	if !ok {
		return spec.Completion{}, spec.EINVAL
	}
	if q.done.Len() == 0 {
		c.device.kernel.world.Sleep(func() bool { return q.done.Len() > 0 })
	}
	return q.done.Pop(), nil
}

// close frees all objects, as at process exit: there nothing is busy, and attached QPs are detached.
func (c *verbsContext) close() {
	k := c.device.kernel
	deviates := &k.deviates.Ending
	for _, q := range slices.SortedFunc(maps.Values(c.qps), func(a, b *qp) int { return cmp.Compare(a.num, b.num) }) {
		twice := q.attachedTwice()
		for at := range q.attached {
			_ = c.device.detach(q, at.group) // of two pairs with one group the first took the QP off
			if deviates.KeepsMACsAtExit {
				c.device.filter(at.group, true)
			}
		}
		switch {
		case k.deviates.KeepsQPAtExit:
		case k.deviates.LosesQPsOfTwoMLIDs && twice:
			c.lose(q)
		default:
			c.freeQP(q)
		}
	}
	k.resources["cq"] -= len(c.cqs)
	if !deviates.KeepsPDAtExit {
		k.resources["pd"] -= len(c.pds)
	}
	k.resources["ctx"]--
	c.device.open--
}

// attachedTwice tells whether some group has the queue pair by two MLIDs.
func (q *qp) attachedTwice() bool {
	groups := map[spec.GID]bool{}
	for at := range q.attached {
		groups[at.group] = true
	}
	return len(groups) < len(q.attached)
}

// lose leaves a queue pair behind with all it uses: whoever counts its groups counted two, and the driver had one to
// take it off (uverbs_destroy_ufile_hw).
func (c *verbsContext) lose(q *qp) {
	c.device.kernel.warn("WARNING: drivers/infiniband/core/rdma_core.c uverbs_destroy_ufile_hw")
	maps.DeleteFunc(c.cqs, func(_ uabi.CQ, o *cq) bool { return o == q.sendCQ || o == q.recvCQ })
	if !c.device.kernel.release.forgetsLostPDs {
		maps.DeleteFunc(c.pds, func(_ uabi.PD, o *pd) bool { return o == q.pd })
	}
}
