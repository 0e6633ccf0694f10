/* Sending, receiving, and waiting for either. While a work request is posted, its wr_id is its buffer's address. */
#include "agent.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { GRH = 40, SEND_QUEUE = 0, RECV_QUEUE = 1 };

void post_recv(struct call *call)
{
	uint32_t handle;
	struct ibv_qp *qp = handle_param(call, call->params, "qp", QP, &handle);
	json_t *object = object_param(call, call->params, "wr");
	uint64_t wr_id = (uint64_t)int_param(call, object, "wr_id", 0, INT64_MAX);
	size_t size = (size_t)int_param(call, object, "size", 0, UINT32_MAX);
	struct buffer *buffer;
	struct ibv_recv_wr *bad;

	if (refused(call) || !(buffer = new_buffer(call, handle, qp->pd, size)))
		return;
	buffer->wr_id = wr_id;
	struct ibv_sge sge = sge_of(buffer);
	struct ibv_recv_wr wr = {.wr_id = (uintptr_t)buffer, .sg_list = &sge, .num_sge = size > 0};
	MAKE(call, call->ret = ibv_post_recv(qp, &wr, &bad));
	succeeds_with_zero(call);
	if (!call->ok)
		free_buffer(buffer);
}

void post_send(struct call *call)
{
	uint32_t handle;
	struct ibv_qp *qp = handle_param(call, call->params, "qp", QP, &handle);
	json_t *object = object_param(call, call->params, "wr");
	uint64_t wr_id = (uint64_t)int_param(call, object, "wr_id", 0, INT64_MAX);
	bool with_imm = !null_param(object, "imm");
	struct ibv_send_wr wr = {
		.opcode = with_imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = with_imm ? htonl((uint32_t)int_param(call, object, "imm", 0, UINT32_MAX)) : 0,
		.wr.ud.ah = handle_param(call, object, "ah", AH, NULL),
		.wr.ud.remote_qpn = (uint32_t)int_param(call, object, "remote_qpn", 0, UINT32_MAX),
		.wr.ud.remote_qkey = (uint32_t)int_param(call, object, "qkey", 0, UINT32_MAX),
	}, *bad;
	size_t length;
	uint8_t *data = bytes_param(call, object, "data", &length);
	struct buffer *buffer;

	if (!refused(call) && (buffer = new_buffer(call, handle, qp->pd, length))) {
		buffer->wr_id = wr_id;
		memcpy(buffer->bytes, data, length);
		struct ibv_sge sge = sge_of(buffer);
		wr.wr_id = (uintptr_t)buffer;
		wr.sg_list = &sge;
		wr.num_sge = length > 0;
		MAKE(call, call->ret = ibv_post_send(qp, &wr, &bad));
		succeeds_with_zero(call);
		if (!call->ok)
			free_buffer(buffer);
	}
	free(data);
}

/*
 * Takes one entry of the queue into wc, sleeping until there is one. The result is 1, or a negative number with errno.
 * Asking for an event before the last look leaves no gap in which an entry could come unnoticed.
 */
static int wait_for(struct ibv_cq *cq, struct ibv_wc *wc)
{
	for (;;) {
		int taken = ibv_poll_cq(cq, 1, wc);
		if (taken != 0)
			return taken;
		int failed = ibv_req_notify_cq(cq, 0);
		if (failed) {
			errno = failed;
			return -1;
		}
		taken = ibv_poll_cq(cq, 1, wc);
		if (taken != 0)
			return taken;

		/* A thread that sleeps in poll can be seen to wait for an event alone; one in read cannot. */
		struct pollfd event = {.fd = cq->channel->fd, .events = POLLIN};
		if (poll(&event, 1, -1) < 0 && errno != EINTR)
			return -1;

		struct ibv_cq *notified;
		void *context;
		if (ibv_get_cq_event(cq->channel, &notified, &context) == 0)
			ibv_ack_cq_events(notified, 1);
		else if (errno != EINTR)
			return -1;
	}
}

static json_t *completion_json(const struct ibv_wc *wc, bool receive)
{
	const struct buffer *buffer = (const struct buffer *)(uintptr_t)wc->wr_id;
	size_t filled = 0, grh = 0;

	if (receive && wc->status == IBV_WC_SUCCESS) {
		filled = wc->byte_len < buffer->size ? wc->byte_len : buffer->size;
		grh = filled < GRH ? filled : GRH;
	}
	/* Of a failed work request only wr_id, status and qp_num mean anything. */
	bool has_fields = wc->status == IBV_WC_SUCCESS;
	bool with_imm = has_fields && receive && (wc->wc_flags & IBV_WC_WITH_IMM);
	return json_pack("{s:I, s:i, s:I, s:b, s:o, s:I, s:i, s:o, s:o}",
			 "wr_id", (json_int_t)buffer->wr_id,
			 "status", (int)wc->status,
			 "byte_len", (json_int_t)(has_fields ? wc->byte_len : 0),
			 "has_grh", has_fields && receive && (wc->wc_flags & IBV_WC_GRH),
			 "imm", with_imm ? json_integer(ntohl(wc->imm_data)) : json_null(),
			 "src_qp", (json_int_t)(has_fields ? wc->src_qp : 0),
			 "slid", has_fields && receive ? wc->slid : 0,
			 "grh", hex(buffer->bytes, grh),
			 "data", hex(buffer->bytes + grh, filled - grh));
}

/* The queues somebody waits on. One event wakes one thread, so two that wait on one queue could miss an entry. */
struct waiting {
	struct ibv_cq *cq;
	struct waiting *next;
};
static struct waiting *all_waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool start_waiting(struct waiting *self)
{
	bool alone = true;

	pthread_mutex_lock(&lock);
	for (const struct waiting *other = all_waiting; other; other = other->next)
		alone = alone && other->cq != self->cq;
	if (alone) {
		self->next = all_waiting;
		all_waiting = self;
	}
	pthread_mutex_unlock(&lock);
	return alone;
}

static void stop_waiting(struct waiting *self)
{
	pthread_mutex_lock(&lock);
	struct waiting **link = &all_waiting;
	while (*link != self)
		link = &(*link)->next;
	*link = self->next;
	pthread_mutex_unlock(&lock);
}

void wait_completion(struct call *call)
{
	struct ibv_qp *qp = handle_param(call, call->params, "qp", QP, NULL);
	bool receive = int_param(call, call->params, "queue", SEND_QUEUE, RECV_QUEUE) == RECV_QUEUE;
	struct ibv_wc wc;

	if (refused(call))
		return;
	struct waiting self = {.cq = receive ? qp->recv_cq : qp->send_cq};
	if (!self.cq || !self.cq->channel)
		refuse(call, INVALID_PARAMS, "ibv_poll_cq: this QP has no such completion queue to sleep on");
	else if (!start_waiting(&self))
		refuse(call, INVALID_PARAMS, "ibv_poll_cq: another call already waits on this completion queue");
	if (call->refusal)
		return;
	MAKE(call, call->ret = wait_for(self.cq, &wc));
	stop_waiting(&self);
	call->ok = call->ret == 1;
	if (call->ok) {
		call->answer = json_pack("{s:o}", "completion", completion_json(&wc, receive));
		free_buffer((struct buffer *)(uintptr_t)wc.wr_id);
	}
}
