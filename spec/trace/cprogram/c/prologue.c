#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a call answered, beside what it had answered when the trace was taken. */
static void said(int row, const char *call, long ret, const char *then)
{
	printf("%3d  %s -> %ld, errno %d (%s); the trace has %s\n", row, call, ret, errno, strerror(errno), then);
	fflush(stdout);
}

/* The bytes of a sockaddr or a GID, in memory of their own that stays. */
static void *bytes(const char *hex)
{
	size_t length = strlen(hex) / 2;
	unsigned char *b = calloc(1, length > sizeof(struct sockaddr_storage) ? length : sizeof(struct sockaddr_storage));

	for (size_t i = 0; i < length; i++)
		sscanf(hex + 2 * i, "%2hhx", &b[i]);
	return b;
}

/* The address of this machine's RDMA device: LOCAL of the environment, or that of the trace. */
static struct sockaddr *local(const char *traced)
{
	struct sockaddr_in *a = bytes("02");
	const char *own = getenv("LOCAL");

	a->sin_family = AF_INET;
	inet_pton(AF_INET, own ? own : traced, &a->sin_addr);
	return (struct sockaddr *)a;
}

static void show_event(const struct rdma_cm_event *e)
{
	char group[INET6_ADDRSTRLEN] = "";

	inet_ntop(AF_INET6, e->param.ud.ah_attr.grh.dgid.raw, group, sizeof group);
	printf("       %s, status %d, private_data %p, dgid %s\n", rdma_event_str(e->event), e->status,
	       e->param.ud.private_data, group);
}

static struct ibv_mr *buffer(struct rdma_cm_id *id, size_t size)
{
	return ibv_reg_mr(id->pd, calloc(1, size ? size : 1), size ? size : 1, IBV_ACCESS_LOCAL_WRITE);
}

/* Spins: a reproducer may. */
static int completion(struct ibv_cq *cq, struct ibv_wc *wc)
{
	int n;

	while ((n = ibv_poll_cq(cq, 1, wc)) == 0)
		;
	return n;
}
