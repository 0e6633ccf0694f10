/* The event channel: when there is an event, what it holds, and giving it back. */
#include "agent.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

/* Returns when an event can be read; a signal does not end the wait. */
void poll_channel(struct call *call)
{
	struct rdma_event_channel *channel = handle_param(call, call->params, "channel", CHANNEL, NULL);

	if (refused(call))
		return;
	struct pollfd fd = {.fd = channel->fd, .events = POLLIN};
	do {
		MAKE(call, call->ret = poll(&fd, 1, -1));
	} while (call->ret < 0 && call->err == EINTR);
	call->ok = call->ret > 0 && (fd.revents & POLLIN);
}

json_t *event_json(uint32_t ref, struct rdma_cm_event *event, int err)
{
	const struct rdma_ud_param *ud = &event->param.ud;
	char private_data[32];

	snprintf(private_data, sizeof private_data, "%#" PRIxPTR, (uintptr_t)ud->private_data);
	return json_pack("{s:I, s:I, s:I, s:i, s:i, s:i, s:{s:s, s:i, s:o, s:I, s:I}}",
			 "ref", (json_int_t)ref,
			 "id", (json_int_t)know(ID, event->id),
			 "listen_id", (json_int_t)know(ID, event->listen_id),
			 "type", (int)event->event,
			 "status", event->status,
			 "errno", err,
			 "ud",
			 "private_data", ud->private_data ? private_data : "0x0",
			 "private_data_len", ud->private_data_len,
			 "ah", ah_attr_json(&ud->ah_attr),
			 "qp_num", (json_int_t)ud->qp_num,
			 "qkey", (json_int_t)ud->qkey);
}

void get_event(struct call *call)
{
	struct rdma_event_channel *channel = handle_param(call, call->params, "channel", CHANNEL, NULL);
	bool nowhere = bool_param(call, call->params, "nowhere");
	struct rdma_cm_event *event = NULL;

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_get_cm_event(channel, nowhere ? NULL : &event));
	succeeds_with_zero(call);
	if (call->ok && !nowhere)
		call->answer = json_pack("{s:o}", "event", event_json(give_handle(EVENT, event), event, call->err));
}

/*
 * The handle goes first: the event's memory may be used again as soon as it is given back. A synchronous id keeps its
 * last event in id->event, and librdmacm acknowledges what it finds there: whoever does it instead must clear the
 * field.
 */
void ack_event(struct call *call)
{
	uint32_t handle;
	struct rdma_cm_event *event = handle_param(call, call->params, "event", EVENT, &handle);

	if (refused(call))
		return;
	if (event && event->id && event->id->event == event)
		event->id->event = NULL;
	drop_handle(EVENT, handle);
	MAKE(call, call->ret = rdma_ack_cm_event(event));
	succeeds_with_zero(call);
}
