/*
 * The memory of work requests. Each has a buffer of its own, registered while the device may touch it: from the post
 * to the completion, or to the end of the QP.
 */
#include "agent.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct buffer *posted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void release(struct buffer *buffer)
{
	if (buffer->mr)
		ibv_dereg_mr(buffer->mr);
	free(buffer);
}

/* NULL, and the call refused, when there is no memory or it cannot be registered. An empty buffer has no MR. */
struct buffer *new_buffer(struct call *call, uint32_t qp, struct ibv_pd *pd, size_t size)
{
	struct buffer *buffer = calloc(1, sizeof *buffer + size);

	if (buffer && size > 0) {
		buffer->mr = ibv_reg_mr(pd, buffer->bytes, size, IBV_ACCESS_LOCAL_WRITE);
		if (!buffer->mr) {
			free(buffer);
			buffer = NULL;
		}
	}
	if (!buffer) {
		refuse(call, INTERNAL_ERROR, "%s: no registered memory of %zu bytes: %s", call->method->name, size,
		       strerror(errno));
		return NULL;
	}
	buffer->qp = qp;
	buffer->size = size;
	pthread_mutex_lock(&lock);
	buffer->next = posted;
	posted = buffer;
	pthread_mutex_unlock(&lock);
	return buffer;
}

void free_buffer(struct buffer *buffer)
{
	pthread_mutex_lock(&lock);
	struct buffer **link = &posted;
	while (*link != buffer)
		link = &(*link)->next;
	*link = buffer->next;
	pthread_mutex_unlock(&lock);
	release(buffer);
}

void free_buffers_of(uint32_t qp)
{
	pthread_mutex_lock(&lock);
	for (struct buffer **link = &posted; *link;) {
		struct buffer *buffer = *link;
		if (buffer->qp == qp) {
			*link = buffer->next;
			release(buffer);
		} else {
			link = &buffer->next;
		}
	}
	pthread_mutex_unlock(&lock);
}

struct ibv_sge sge_of(const struct buffer *buffer)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)buffer->bytes,
		.length = (uint32_t)buffer->size,
		.lkey = buffer->mr ? buffer->mr->lkey : 0,
	};
}
