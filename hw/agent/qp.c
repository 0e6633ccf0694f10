/* A QP from its making to its end: the id's own, with a protection domain and completion queues of librdmacm's. */
#include "agent.h"

/* PD and CQs are left to librdmacm, which gives each CQ a completion channel to sleep on. */
bool qp_param(struct call *call, json_t *object, const char *name, struct ibv_qp_init_attr *init)
{
	json_t *attr = object_param(call, object, name);

	*init = (struct ibv_qp_init_attr){
		.qp_type = (enum ibv_qp_type)int_param(call, attr, "type", 0, INT32_MAX),
		.cap.max_send_wr = (uint32_t)int_param(call, attr, "max_send_wr", 0, UINT32_MAX),
		.cap.max_recv_wr = (uint32_t)int_param(call, attr, "max_recv_wr", 0, UINT32_MAX),
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.sq_sig_all = 1,
	};
	return bool_param(call, attr, "block_self_mcast_lb");
}

/* Only rdma_create_qp_ex takes create flags, which not every provider can follow. */
static int create_qp_that_blocks_its_own(struct rdma_cm_id *id, const struct ibv_qp_init_attr *init)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_type = init->qp_type,
		.cap = init->cap,
		.sq_sig_all = init->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB,
	};

	return rdma_create_qp_ex(id, &ex);
}

void create_qp(struct call *call)
{
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct ibv_qp_init_attr init;
	bool blocks_its_own = qp_param(call, call->params, "attr", &init);

	if (refused(call))
		return;
	if (blocks_its_own)
		MAKE(call, call->ret = create_qp_that_blocks_its_own(id, &init));
	else
		MAKE(call, call->ret = rdma_create_qp(id, NULL, &init));
	succeeds_with_zero(call);
	call->answer = json_pack("{s:I}", "qp", (json_int_t)(call->ok ? give_handle(QP, id->qp) : 0));
}

/*
 * rdma_destroy_qp and rdma_destroy_ep tell nobody when ibv_destroy_qp fails: a QP that is still attached to a group
 * survives them, with EBUSY in errno. So the handle of a QP is never dropped. One that is at the same address later has
 * a handle of its own.
 */
void forget_work_of(struct call *call, uint32_t qp)
{
	if (qp && call->err != EBUSY)
		free_buffers_of(qp);
}

void destroy_qp(struct call *call)
{
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);

	if (refused(call))
		return;
	uint32_t qp = handle_of(QP, id ? id->qp : NULL);
	MAKE(call, rdma_destroy_qp(id));
	returns_nothing(call);
	forget_work_of(call, qp);
}

/* Behind librdmacm's back: id->qp keeps its value. */
void ibv_destroys_qp(struct call *call)
{
	uint32_t handle;
	struct ibv_qp *qp = handle_param(call, call->params, "qp", QP, &handle);

	if (refused(call))
		return;
	MAKE(call, call->ret = ibv_destroy_qp(qp));
	succeeds_with_zero(call);
	if (call->ok)
		free_buffers_of(handle);
}
