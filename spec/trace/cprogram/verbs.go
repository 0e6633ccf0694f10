package cprogram

import (
	"encoding/hex"
	"fmt"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/trace"
)

// verbs is a call of libibverbs in C, or one that makes or ends a QP or a channel; see c.
func (p *program) verbs(r trace.Row) (before []string, expression string, after []string) {
	switch a := r.Args.(type) {
	case *call.CreateQPArgs:
		return p.createQP(r, a)
	case *call.DestroyQPArgs:
		return nil, fmt.Sprintf("(rdma_destroy_qp(%s), 0)", id(a.ID)), nil
	case *call.QueryDeviceArgs:
		return []string{"struct ibv_device_attr attr;"}, fmt.Sprintf("ibv_query_device(%s->verbs, &attr)", id(a.ID)), nil
	case *call.AttachMulticastArgs:
		return nil, fmt.Sprintf("ibv_attach_mcast(%s, %s, %d)", qp(a.QP), p.gid(a.GID), a.MLID), nil
	case *call.DetachMulticastArgs:
		return nil, fmt.Sprintf("ibv_detach_mcast(%s, %s, %d)", qp(a.QP), p.gid(a.GID), a.MLID), nil
	case *call.IBVDestroyQPArgs:
		return nil, fmt.Sprintf("ibv_destroy_qp(%s)", qp(a.QP)), nil
	case *call.CreateAHArgs:
		made := p.made("struct ibv_ah *", ah(r.Answer.(*call.CreateAHAnswer).AH), r.Begin)
		return []string{p.ahAttr(a.Attr)}, fmt.Sprintf("(%s = ibv_create_ah(%s->pd, &attr)) ? 0 : -1", made, id(a.ID)), nil
	case *call.DestroyAHArgs:
		return nil, fmt.Sprintf("ibv_destroy_ah(%s)", ah(a.AH)), nil
	case *call.PostRecvArgs:
		return []string{
			fmt.Sprintf("struct ibv_mr *mr = buffer(%s, %d);", owner(a.QP), a.WR.Size),
			fmt.Sprintf("struct ibv_sge sge = {.addr = (uintptr_t)mr->addr, .length = %d, .lkey = mr->lkey};", a.WR.Size),
			fmt.Sprintf("struct ibv_recv_wr wr = {.wr_id = %d, .sg_list = &sge, .num_sge = 1}, *bad;", a.WR.WRID),
		}, fmt.Sprintf("ibv_post_recv(%s, &wr, &bad)", qp(a.QP)), nil
	case *call.PostSendArgs:
		return postSend(a)
	case *call.WaitCompletionArgs:
		queue := "send_cq"
		if a.Queue == spec.RecvQueue {
			queue = "recv_cq"
		}
		return []string{"struct ibv_wc wc;"}, fmt.Sprintf("completion(%s->%s, &wc) == 1 ? 0 : -1", qp(a.QP), queue),
			[]string{`printf("       %s, byte_len %u\n", ibv_wc_status_str(wc.status), wc.byte_len);`}
	case *call.ScriptArgs:
		return p.script(r, a)
	}
	if a, ok := r.Answer.(*call.CreateEventChannelAnswer); ok {
		made := p.made("struct rdma_event_channel *", channel(a.Channel), r.Begin)
		return nil, fmt.Sprintf("(%s = rdma_create_event_channel()) ? 0 : -1", made), nil
	}
	return p.mischief(r)
}

// owner is the id of a QP: rdma_create_qp makes it the QP's context.
func owner(h spec.QP) string { return fmt.Sprintf("((struct rdma_cm_id *)%s->qp_context)", qp(h)) }

func (p *program) createQP(r trace.Row, a *call.CreateQPArgs) (before []string, expression string, after []string) {
	made := p.made("struct ibv_qp *", qp(r.Answer.(*call.CreateQPAnswer).QP), r.Begin)
	before = qpInitAttr(id(a.ID), a.Attr)
	create := fmt.Sprintf("rdma_create_qp(%s, NULL, &attr)", id(a.ID))
	if a.Attr.BlockSelfMcastLB {
		before = append(before,
			"struct ibv_qp_init_attr_ex ex = {.qp_context = attr.qp_context, .qp_type = attr.qp_type, .cap = attr.cap,",
			"\t.sq_sig_all = 1, .comp_mask = IBV_QP_INIT_ATTR_CREATE_FLAGS,",
			"\t.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB};")
		create = fmt.Sprintf("rdma_create_qp_ex(%s, &ex)", id(a.ID))
	}
	return before, fmt.Sprintf("%s == 0 ? (%s = %s->qp, 0) : -1", create, made, id(a.ID)), nil
}

func qpInitAttr(owner string, a spec.QPInitAttr) []string {
	return []string{
		fmt.Sprintf("struct ibv_qp_init_attr attr = {.qp_context = %s, .qp_type = (enum ibv_qp_type)%d, .sq_sig_all = 1,",
			owner, a.Type),
		fmt.Sprintf("\t.cap = {.max_send_wr = %d, .max_recv_wr = %d, .max_send_sge = 1, .max_recv_sge = 1}};",
			a.MaxSendWR, a.MaxRecvWR),
	}
}

func (p *program) ahAttr(a spec.AHAttr) string {
	return fmt.Sprintf("struct ibv_ah_attr attr = {.is_global = %d, .dlid = %d, .sl = %d, .port_num = %d, .grh = {"+
		".dgid = *(union ibv_gid *)%s, .flow_label = %d, .sgid_index = %d, .hop_limit = %d, .traffic_class = %d}};",
		number(a.IsGlobal), a.DLID, a.SL, a.PortNum, p.gid(a.GRH.DGID), a.GRH.FlowLabel, a.GRH.SGIDIndex, a.GRH.HopLimit,
		a.GRH.TrafficClass)
}

func postSend(a *call.PostSendArgs) (before []string, expression string, after []string) {
	opcode, imm := "IBV_WR_SEND", ""
	if a.WR.Imm != nil {
		opcode, imm = "IBV_WR_SEND_WITH_IMM", fmt.Sprintf(" .imm_data = htonl(%d),", *a.WR.Imm)
	}
	return []string{
		fmt.Sprintf("struct ibv_mr *mr = buffer(%s, %d);", owner(a.QP), len(a.WR.Data)),
		fmt.Sprintf("memcpy(mr->addr, bytes(%q), %d);", hex.EncodeToString(a.WR.Data), len(a.WR.Data)),
		fmt.Sprintf("struct ibv_sge sge = {.addr = (uintptr_t)mr->addr, .length = %d, .lkey = mr->lkey};", len(a.WR.Data)),
		fmt.Sprintf("struct ibv_send_wr wr = {.wr_id = %d, .sg_list = &sge, .num_sge = 1, .opcode = %s,%s",
			a.WR.WRID, opcode, imm),
		fmt.Sprintf("\t.send_flags = IBV_SEND_SIGNALED, .wr.ud = {.ah = %s, .remote_qpn = %#x, .remote_qkey = %#x}}, *bad;",
			ah(a.WR.AH), a.WR.RemoteQPN, a.WR.QKey),
	}, fmt.Sprintf("ibv_post_send(%s, &wr, &bad)", qp(a.QP)), nil
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
