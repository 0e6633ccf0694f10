/* Calls of librdmacm. Each reads its params, makes its call, and says what became of the handles. */
#include "agent.h"

#include <fcntl.h>
#include <infiniband/ib.h>

void create_event_channel(struct call *call)
{
	struct rdma_event_channel *channel;

	if (refused(call))
		return;
	MAKE(call, channel = rdma_create_event_channel());
	returns_pointer(call, channel);
	call->answer = json_pack("{s:I}", "channel", (json_int_t)give_handle(CHANNEL, channel));
}

void destroy_event_channel(struct call *call)
{
	uint32_t handle;
	struct rdma_event_channel *channel = handle_param(call, call->params, "channel", CHANNEL, &handle);

	if (refused(call))
		return;
	MAKE(call, rdma_destroy_event_channel(channel));
	returns_nothing(call);
	drop_handle(CHANNEL, handle);
}

void set_nonblock(struct call *call)
{
	struct rdma_event_channel *channel = handle_param(call, call->params, "channel", CHANNEL, NULL);
	bool on = bool_param(call, call->params, "nonblock");

	if (refused(call))
		return;
	int flags = fcntl(channel->fd, F_GETFL);
	MAKE(call, call->ret = fcntl(channel->fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
	succeeds_with_zero(call);
}

void create_id(struct call *call)
{
	struct rdma_event_channel *channel = handle_param(call, call->params, "channel", CHANNEL, NULL);
	void *context = context_param(call, "context");
	enum rdma_port_space ps = (enum rdma_port_space)int_param(call, call->params, "ps", 0, UINT16_MAX);
	struct rdma_cm_id *id = NULL;

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_create_id(channel, &id, context, ps));
	succeeds_with_zero(call);
	call->answer = json_pack("{s:I}", "id", (json_int_t)(call->ok ? give_handle(ID, id) : 0));
}

void destroy_id(struct call *call)
{
	uint32_t handle;
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, &handle);

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_destroy_id(id));
	succeeds_with_zero(call);
	if (call->ok)
		drop_handle(ID, handle);
}

/* The id's public fields, which any program may read. */
void read_id(struct call *call)
{
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);

	if (refused(call))
		return;
	call->answer = json_pack("{s:{s:b, s:i, s:I, s:o}}", "state",
				 "has_verbs", id->verbs != NULL,
				 "port_num", id->port_num,
				 "qp", (json_int_t)handle_of(QP, id->qp),
				 "event", id->event ? event_json(know(EVENT, id->event), id->event, 0) : json_null());
	returns_nothing(call);
}

void bind_addr(struct call *call)
{
	struct sockaddr_storage room;
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct sockaddr *addr = sockaddr_param(call, call->params, "addr", &room);

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_bind_addr(id, addr));
	scribble(&room);
	succeeds_with_zero(call);
}

void resolve_addr(struct call *call)
{
	struct sockaddr_storage src_room, dst_room;
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct sockaddr *src = sockaddr_param(call, call->params, "src", &src_room);
	struct sockaddr *dst = sockaddr_param(call, call->params, "dst", &dst_room);
	int timeout_ms = (int)int_param(call, call->params, "timeout_ms", INT32_MIN, INT32_MAX);

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_resolve_addr(id, src, dst, timeout_ms));
	scribble(&src_room);
	scribble(&dst_room);
	succeeds_with_zero(call);
}

void resolve_route(struct call *call)
{
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	int timeout_ms = (int)int_param(call, call->params, "timeout_ms", INT32_MIN, INT32_MAX);

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_resolve_route(id, timeout_ms));
	succeeds_with_zero(call);
}

static socklen_t length_of(const struct sockaddr *addr)
{
	if (!addr)
		return 0;
	switch (addr->sa_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case AF_IB:
		return sizeof(struct sockaddr_ib);
	}
	return sizeof(struct sockaddr);
}

/*
 * What an active endpoint resolves, or a passive one binds to; the library gets it as rdma_getaddrinfo would give it,
 * in memory of the call's own.
 */
void create_ep(struct call *call)
{
	struct sockaddr_storage src_room, dst_room;
	json_t *attr = object_param(call, call->params, "attr");
	struct rdma_addrinfo info = {
		.ai_flags = bool_param(call, attr, "passive") ? RAI_PASSIVE : 0,
		.ai_port_space = (int)int_param(call, attr, "ps", 0, UINT16_MAX),
		.ai_qp_type = (int)int_param(call, attr, "qp_type", 0, INT32_MAX),
		.ai_src_addr = sockaddr_param(call, attr, "src", &src_room),
		.ai_dst_addr = sockaddr_param(call, attr, "dst", &dst_room),
	};
	struct ibv_qp_init_attr init;
	bool with_qp = !null_param(attr, "qp");
	struct rdma_cm_id *id = NULL;

	if (with_qp)
		qp_param(call, attr, "qp", &init);
	if (refused(call))
		return;
	info.ai_src_len = length_of(info.ai_src_addr);
	info.ai_dst_len = length_of(info.ai_dst_addr);
	info.ai_family = info.ai_dst_addr ? info.ai_dst_addr->sa_family : src_room.ss_family;
	MAKE(call, call->ret = rdma_create_ep(&id, &info, NULL, with_qp ? &init : NULL));
	scribble(&src_room);
	scribble(&dst_room);
	succeeds_with_zero(call);
	if (call->ok)
		give_handle(QP, id->qp);
	call->answer = json_pack("{s:I}", "id", (json_int_t)(call->ok ? give_handle(ID, id) : 0));
}

void destroy_ep(struct call *call)
{
	uint32_t handle;
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, &handle);

	if (refused(call))
		return;
	uint32_t qp = handle_of(QP, id ? id->qp : NULL);
	MAKE(call, rdma_destroy_ep(id));
	returns_nothing(call);
	drop_handle(ID, handle);
	forget_work_of(call, qp);
}

void listen_id(struct call *call)
{
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	int backlog = (int)int_param(call, call->params, "backlog", INT32_MIN, INT32_MAX);

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_listen(id, backlog));
	succeeds_with_zero(call);
}

void migrate_id(struct call *call)
{
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct rdma_event_channel *channel = handle_param(call, call->params, "channel", CHANNEL, NULL);

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_migrate_id(id, channel));
	succeeds_with_zero(call);
}

void join_multicast(struct call *call)
{
	struct sockaddr_storage room;
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct sockaddr *addr = sockaddr_param(call, call->params, "addr", &room);
	void *context = context_param(call, "context");

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_join_multicast(id, addr, context));
	scribble(&room);
	succeeds_with_zero(call);
}

void join_multicast_ex(struct call *call)
{
	struct sockaddr_storage room;
	struct rdma_cm_join_mc_attr_ex attr = {0};
	bool has_attr = !null_param(call->params, "attr");
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	void *context = context_param(call, "context");

	if (has_attr) {
		json_t *object = object_param(call, call->params, "attr");
		attr.comp_mask = (uint32_t)int_param(call, object, "comp_mask", 0, UINT32_MAX);
		attr.join_flags = (uint32_t)int_param(call, object, "join_flags", 0, UINT32_MAX);
		attr.addr = sockaddr_param(call, object, "addr", &room);
	}
	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_join_multicast_ex(id, has_attr ? &attr : NULL, context));
	scribble(&room);
	succeeds_with_zero(call);
}

void leave_multicast(struct call *call)
{
	struct sockaddr_storage room;
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct sockaddr *addr = sockaddr_param(call, call->params, "addr", &room);

	if (refused(call))
		return;
	MAKE(call, call->ret = rdma_leave_multicast(id, addr));
	scribble(&room);
	succeeds_with_zero(call);
}
