/*
 * What no decent program does, to itself and to the kernel behind librdmacm's back. Only an agent that was started with
 * joinmcast-mischief.so preloaded does it.
 */
#include "agent.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sets a pointer to a function of the preload's. Without the preload the call is refused. */
static bool found(struct call *call, const char *name, void *pointer)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	if (!function)
		refuse(call, INVALID_PARAMS, "%s: this agent was not started for mischief", call->method->name);
	memcpy(pointer, &function, sizeof function); /* ISO C converts no object's pointer to a function's */
	return function;
}

/* As refused, and also refuses an agent that is not here for mischief. */
static bool refused_mischief(struct call *call)
{
	void *any;

	return refused(call) || !found(call, "joinmcast_allocations", &any);
}

void set_fd(struct call *call)
{
	struct rdma_event_channel *channel = handle_param(call, call->params, "channel", CHANNEL, NULL);
	int fd = (int)int_param(call, call->params, "fd", INT32_MIN, INT32_MAX), old;

	if (refused_mischief(call))
		return;
	MAKE(call, old = channel->fd; channel->fd = fd);
	returns_nothing(call);
	call->answer = json_pack("{s:i}", "old", old);
}

/* Of all threads. A process that has changed its user is hidden from itself in /proc, where inflight.c looks. */
void set_euid(struct call *call)
{
	uid_t uid = (uid_t)int_param(call, call->params, "uid", 0, UINT32_MAX);

	if (refused_mischief(call))
		return;
	MAKE(call, call->ret = seteuid(uid));
	succeeds_with_zero(call);
	prctl(PR_SET_DUMPABLE, 1);
}

/* What a child has to say. */
struct outcome {
	int ret, err;
};

/* The child's answer to the call; -1 when it gave none. */
static int join_in_a_child(struct rdma_cm_id *id, struct sockaddr *addr, struct outcome *joined)
{
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	pid_t child = fork();
	if (child == 0) {
		errno = 0;
		joined->ret = rdma_join_multicast(id, addr, NULL);
		joined->err = errno;
		_exit(write(ends[1], joined, sizeof *joined) == sizeof *joined ? 0 : 1);
	}
	close(ends[1]);
	bool told = child > 0 && read(ends[0], joined, sizeof *joined) == sizeof *joined;
	close(ends[0]);
	if (child > 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	return told ? 0 : -1;
}

void join_in_child(struct call *call)
{
	struct sockaddr_storage room;
	struct rdma_cm_id *id = handle_param(call, call->params, "id", ID, NULL);
	struct sockaddr *addr = sockaddr_param(call, call->params, "addr", &room);
	struct outcome joined;
	int answered;

	if (refused_mischief(call))
		return;
	MAKE(call, answered = join_in_a_child(id, addr, &joined));
	if (answered != 0) {
		refuse(call, INTERNAL_ERROR, "fork: the child gave no answer");
		return;
	}
	call->ret = joined.ret;
	call->err = joined.err;
	succeeds_with_zero(call);
}

void fail_next(struct call *call)
{
	char *function = string_param(call, call->params, "function");
	int skip = (int)int_param(call, call->params, "skip", 0, INT32_MAX - 1);
	int err = (int)int_param(call, call->params, "errno", 0, INT32_MAX);
	bool (*fail)(const char *, int, int);

	if (!refused(call) && found(call, "joinmcast_fail_next", &fail) && !fail(function, skip, err))
		refuse(call, INVALID_PARAMS, "fail_next: \"%.100s\" cannot be made to fail", function);
	returns_nothing(call);
	free(function);
}

void allocations(struct call *call)
{
	int (*held)(void), blocks = 0;

	if (!refused(call) && found(call, "joinmcast_allocations", &held))
		blocks = held();
	if (blocks < 0)
		refuse(call, INTERNAL_ERROR, "allocations: the preload has not found librdmacm");
	returns_nothing(call);
	call->answer = json_pack("{s:i}", "blocks", blocks);
}

/* A file's handle stands for its descriptor; 0 for -1. */
void open_raw(struct call *call)
{
	if (refused_mischief(call))
		return;
	MAKE(call, call->ret = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC));
	call->ok = call->ret >= 0;
	call->answer = json_pack("{s:I}", "file", (json_int_t)give_handle(RAW_FILE, (void *)(intptr_t)(call->ret + 1)));
}

/* A command's header, as the kernel reads it. */
struct header {
	uint32_t command;
	uint16_t in, out;
};

void write_raw(struct call *call)
{
	int fd = (int)(intptr_t)handle_param(call, call->params, "file", RAW_FILE, NULL) - 1;
	json_t *command = object_param(call, call->params, "command");
	struct header header = {.command = (uint32_t)int_param(call, command, "cmd", 0, UINT32_MAX)};
	size_t length;
	uint8_t *in = bytes_param(call, command, "in", &length);
	int response_at = (int)int_param(call, command, "response_at", -1, UINT16_MAX);
	bool unmapped;

	header.out = (uint16_t)int_param(call, command, "room", 0, UINT16_MAX);
	unmapped = bool_param(call, command, "unmapped");
	header.in = (uint16_t)length;
	if (response_at >= 0 && (size_t)response_at + sizeof(uint64_t) > length)
		refuse(call, INVALID_PARAMS, "write: \"in\" has no room for an address at %d", response_at);
	if (!refused_mischief(call)) {
		uint8_t *message = malloc(sizeof header + length);
		void *room = mmap(NULL, UINT16_MAX + 1, unmapped ? PROT_NONE : PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		uint64_t address = (uintptr_t)room;
		memcpy(message, &header, sizeof header);
		memcpy(message + sizeof header, in, length);
		if (response_at >= 0)
			memcpy(message + sizeof header + response_at, &address, sizeof address);
		MAKE(call, call->ret = (int)write(fd, message, sizeof header + length));
		call->ok = call->ret == (int)(sizeof header + length);
		call->answer = json_pack("{s:{s:o}}", "answer", "out", hex(room, unmapped ? 0 : header.out));
		munmap(room, UINT16_MAX + 1);
		free(message);
	}
	free(in);
}
