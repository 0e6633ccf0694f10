/*
 * The agent's parts and how they meet. A call runs through them in this order:
 *
 *   agent.c      reads a line, finds the method in its table, gives the call a thread
 *   params.c     turns the params into C values
 *   cm.c         makes the calls of librdmacm          verbs.c   those of libibverbs
 *   events.c     about event channels                  qp.c      about QPs            datagrams.c  about their work
 *   handles.c    stands in for C pointers on the wire  buffers.c owns the memory that work requests name
 *   answer.c     turns what the call left into a line
 *   inflight.c   knows which calls are open            libraries.c which files are under test
 *   script.c     makes many calls side by side         mischief.c  does what no decent program does
 */
#ifndef JOINMCAST_AGENT_H
#define JOINMCAST_AGENT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <jansson.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The longest message, in bytes with its newline (package wire, MaxLine). */
enum { MAX_LINE = 64 << 10 };

/* Error codes of JSON-RPC 2.0. */
enum {
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	METHOD_NOT_FOUND = -32601,
	INVALID_PARAMS = -32602,
	INTERNAL_ERROR = -32603,
};

struct call;
struct round;

/* A method: its name on the wire and what it does. */
struct method {
	const char *name;
	void (*perform)(struct call *call);
	bool at_once; /* in the reader's own thread: it cannot block, and must see what came before it */
};

/* A call from its request to its answer. */
struct call {
	const struct method *method;
	json_t *id;     /* of the request, given back with the answer; NULL when nobody waits for one */
	json_t *params; /* an object; what has been read is taken out, so that what is left over can be refused */

	bool ok;        /* succeeded by the C call's own convention */
	int ret;        /* the raw return value; of a pointer 0 for NULL and 1 otherwise */
	int err;        /* errno right after the call, which was zeroed before it */
	json_t *answer; /* what else the call gave, or NULL */
	bool bare;      /* the answer is the whole result: the method is no C call */

	int refusal; /* a JSON-RPC error code, when there is no result */
	char why[256];

	pid_t tid;   /* of the thread that makes the call, 0 before it runs */
	bool inside; /* the thread is in the C call itself, and in nothing of the agent's */
	uint64_t ns; /* how long the C call took, by CLOCK_MONOTONIC */
	const struct round *round; /* of the script that this call is a step of, or NULL */
	struct call *older, *newer;
};

static inline uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * MAKE makes one C call. errno means nothing unless it was zeroed before, and nothing may come between the call and
 * the look at errno, in the same thread.
 */
#define MAKE(call, statement)                                                    \
	do {                                                                     \
		__atomic_store_n(&(call)->inside, true, __ATOMIC_SEQ_CST);       \
		uint64_t begun = now();                                          \
		errno = 0;                                                       \
		statement;                                                       \
		(call)->err = errno;                                             \
		(call)->ns += now() - begun;                                     \
		__atomic_store_n(&(call)->inside, false, __ATOMIC_SEQ_CST);      \
	} while (0)

/* answer.c */
void refuse(struct call *call, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void succeeds_with_zero(struct call *call);               /* ret 0 is success */
void returns_pointer(struct call *call, const void *got); /* NULL is failure */
void returns_nothing(struct call *call);
void answer(struct call *call); /* writes it, or the refusal */
void answer_to(int fd);         /* where answers go */

/* params.c: each reads one param and refuses the call when it is missing or wrong. An object is the call's params, or
 * one inside them. */
bool refused(struct call *call); /* last: also refuses params that nobody has read */
int64_t int_param(struct call *call, json_t *object, const char *name, int64_t min, int64_t max);
bool bool_param(struct call *call, json_t *object, const char *name);
void *context_param(struct call *call, const char *name);
struct sockaddr *sockaddr_param(struct call *call, json_t *object, const char *name, struct sockaddr_storage *room);
void scribble(struct sockaddr_storage *room);
void gid_param(struct call *call, json_t *object, const char *name, union ibv_gid *gid);
uint8_t *bytes_param(struct call *call, json_t *object, const char *name, size_t *length); /* to be freed */
char *string_param(struct call *call, json_t *object, const char *name); /* to be freed; never NULL */
bool null_param(json_t *object, const char *name); /* takes it, when it is null */
json_t *object_param(struct call *call, json_t *object, const char *name);
json_t *hex(const void *bytes, size_t length);

/* handles.c: a handle is never given twice, 0 is NULL, and one that stands for nothing (any more) is refused. */
enum kind { CHANNEL, ID, QP, AH, EVENT, RAW_FILE, KINDS };
uint32_t give_handle(enum kind kind, void *pointer);     /* a new one; 0 for NULL */
uint32_t handle_of(enum kind kind, const void *pointer); /* 0 when there is none */
uint32_t know(enum kind kind, void *pointer);            /* the one it has, or else a new one */
void drop_handle(enum kind kind, uint32_t handle);
void *pointer_of(enum kind kind, uint32_t handle);       /* NULL when there is none */
void *handle_param(struct call *call, json_t *object, const char *name, enum kind kind, uint32_t *handle);

/* agent.c */
const struct method *find_method(const char *name); /* NULL when there is none */
void free_call(struct call *call);

/* script.c: what the steps of one round know of each other. */
struct round {
	uint32_t number;   /* from 0 */
	bool advances;     /* this step's group is the round's own */
	uint32_t steps;    /* that have been made */
	uint32_t *handles; /* what they gave; 0 for nothing */
};
void run_script(struct call *call);
/* For numbers that stand for what an earlier step gave: that handle; others stay as they are. */
uint32_t handle_of_step(struct call *call, uint32_t number);
void advance(const struct call *call, uint8_t *group); /* four bytes of it, if it is to advance */

/* inflight.c */
void begin(struct call *call);
void end(struct call *call);
void list_in_flight(struct call *call);

/* libraries.c */
void list_libraries(struct call *call);

/* buffers.c: the memory of a work request, registered for as long as the device may touch it. */
struct buffer {
	struct ibv_mr *mr;
	uint32_t qp;    /* handle of the QP it was posted to */
	uint64_t wr_id; /* the caller's; the device is given the buffer's address instead */
	size_t size;
	struct buffer *next;
	uint8_t bytes[];
};
struct buffer *new_buffer(struct call *call, uint32_t qp, struct ibv_pd *pd, size_t size);
void free_buffer(struct buffer *buffer);
void free_buffers_of(uint32_t qp);
struct ibv_sge sge_of(const struct buffer *buffer);

/* cm.c */
void create_event_channel(struct call *call);
void destroy_event_channel(struct call *call);
void set_nonblock(struct call *call);
void create_id(struct call *call);
void destroy_id(struct call *call);
void read_id(struct call *call);
void bind_addr(struct call *call);
void resolve_addr(struct call *call);
void resolve_route(struct call *call);
void create_ep(struct call *call);
void destroy_ep(struct call *call);
void listen_id(struct call *call);
void migrate_id(struct call *call);
void join_multicast(struct call *call);
void join_multicast_ex(struct call *call);
void leave_multicast(struct call *call);

/* qp.c */
/* The result is whether the QP blocks its own datagrams. */
bool qp_param(struct call *call, json_t *object, const char *name, struct ibv_qp_init_attr *init);
void create_qp(struct call *call);
void destroy_qp(struct call *call);
void ibv_destroys_qp(struct call *call);
void forget_work_of(struct call *call, uint32_t qp); /* the call ended the QP, unless it could not */

/* events.c */
void poll_channel(struct call *call);
void get_event(struct call *call);
void ack_event(struct call *call);
json_t *event_json(uint32_t ref, struct rdma_cm_event *event, int err);

/* verbs.c */
void query_device(struct call *call);
void attach_multicast(struct call *call);
void detach_multicast(struct call *call);
void create_ah(struct call *call);
void destroy_ah(struct call *call);

/* datagrams.c */
void post_recv(struct call *call);
void post_send(struct call *call);
void wait_completion(struct call *call);
json_t *ah_attr_json(const struct ibv_ah_attr *attr);

/* mischief.c */
void set_fd(struct call *call);
void set_euid(struct call *call);
void join_in_child(struct call *call);
void fail_next(struct call *call);
void allocations(struct call *call);
void open_raw(struct call *call);
void write_raw(struct call *call);

#endif
