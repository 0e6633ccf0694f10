/*
 * The agent: one RDMA application, told what to call.
 *
 *   cd hw/agent && cc -std=gnu11 -O2 -g -Wall -Wextra -Werror -o ../../bin/joinmcast-agent *.c \
 *      -Wl,-Bstatic -ljansson -Wl,-Bdynamic -lrdmacm -libverbs -lpthread
 *
 * It reads JSON-RPC 2.0 from its standard input, one message a line, makes the C call that each names, and writes what
 * the call left behind to its standard output:
 *
 *   {"jsonrpc":"2.0","id":1,"method":"rdma_bind_addr","params":{"id":1,"addr":"02000000c0a80101..."}}
 *   {"jsonrpc":"2.0","id":1,"result":{"ok":false,"ret":-1,"errno":99}}
 *
 * Every call has a thread of its own, so one that blocks blocks no other. Nothing protects the library from its caller:
 * a NULL id is passed on, and a crash is the process's own. The agent ends when its input ends, whatever still blocks.
 */
#include "agent.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct method methods[] = {
	{"rdma_create_event_channel", create_event_channel, false},
	{"rdma_destroy_event_channel", destroy_event_channel, false},
	{"fcntl", set_nonblock, false},
	{"rdma_create_id", create_id, false},
	{"rdma_destroy_id", destroy_id, false},
	{"read_id", read_id, false},
	{"rdma_bind_addr", bind_addr, false},
	{"rdma_resolve_addr", resolve_addr, false},
	{"rdma_resolve_route", resolve_route, false},
	{"rdma_create_ep", create_ep, false},
	{"rdma_destroy_ep", destroy_ep, false},
	{"rdma_listen", listen_id, false},
	{"rdma_migrate_id", migrate_id, false},
	{"rdma_create_qp", create_qp, false},
	{"rdma_destroy_qp", destroy_qp, false},
	{"rdma_join_multicast", join_multicast, false},
	{"rdma_join_multicast_ex", join_multicast_ex, false},
	{"rdma_leave_multicast", leave_multicast, false},
	{"poll", poll_channel, false},
	{"rdma_get_cm_event", get_event, false},
	{"rdma_ack_cm_event", ack_event, false},
	{"ibv_query_device", query_device, false},
	{"ibv_attach_mcast", attach_multicast, false},
	{"ibv_detach_mcast", detach_multicast, false},
	{"ibv_destroy_qp", ibv_destroys_qp, false},
	{"ibv_create_ah", create_ah, false},
	{"ibv_destroy_ah", destroy_ah, false},
	{"ibv_post_recv", post_recv, false},
	{"ibv_post_send", post_send, false},
	{"ibv_poll_cq", wait_completion, false},
	{"script", run_script, false},
	{"set_fd", set_fd, false},
	{"seteuid", set_euid, false},
	{"fork", join_in_child, false},
	{"fail_next", fail_next, false},
	{"allocations", allocations, false},
	{"open", open_raw, false},
	{"write", write_raw, false},
	{"in_flight", list_in_flight, true},
	{"libraries", list_libraries, false},
};

const struct method *find_method(const char *name)
{
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

void free_call(struct call *call)
{
	json_decref(call->answer);
	json_decref(call->params);
	json_decref(call->id);
	free(call);
}

/* Answers the call and frees it. */
static void finish(struct call *call)
{
	answer(call);
	free_call(call);
}

static void *run(void *opaque)
{
	struct call *call = opaque;

	__atomic_store_n(&call->tid, gettid(), __ATOMIC_RELEASE);
	call->method->perform(call);
	end(call);
	finish(call);
	return NULL;
}

static void run_in_thread(struct call *call)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	begin(call);
	int failed = pthread_create(&thread, &attr, run, call);
	pthread_attr_destroy(&attr);
	if (failed) {
		end(call);
		refuse(call, INTERNAL_ERROR, "no thread for this call: %s", strerror(failed));
		finish(call);
	}
}

/* Finds out what a message asks for; refuses the call when that is nothing. */
static void understand(struct call *call, json_t *message, const json_error_t *error)
{
	const char *version = json_string_value(json_object_get(message, "jsonrpc"));
	const char *name = json_string_value(json_object_get(message, "method"));
	json_t *params = json_object_get(message, "params");

	call->id = json_incref(json_object_get(message, "id"));
	if (!message) {
		call->id = json_null();
		refuse(call, PARSE_ERROR, "not one JSON value a line: %s at byte %d", error->text, error->position);
	} else if (!version || strcmp(version, "2.0") != 0 || !name) {
		if (!call->id)
			call->id = json_null();
		refuse(call, INVALID_REQUEST, "want an object with \"jsonrpc\":\"2.0\" and a \"method\"");
	} else if (!(call->method = find_method(name))) {
		refuse(call, METHOD_NOT_FOUND, "no method is named \"%.100s\"", name);
	} else if (params && !json_is_object(params)) {
		refuse(call, INVALID_PARAMS, "%s: want params as an object", name);
	} else {
		call->params = params ? json_incref(params) : json_object();
	}
}

static void serve(const char *line, size_t length)
{
	struct call *call = calloc(1, sizeof *call);
	json_error_t error;

	if (!call) {
		fputs("no memory for a call\n", stderr);
		_exit(2);
	}
	json_t *message = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	understand(call, message, &error);
	json_decref(message);
	if (call->refusal) {
		finish(call);
	} else if (call->method->at_once) {
		call->method->perform(call);
		finish(call);
	} else {
		run_in_thread(call);
	}
}

/* Moves the protocol off descriptors 0 and 1, so that what a library prints goes to standard error. */
static int take_over_stdio(void)
{
	int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (in < 0 || out < 0) {
		perror("standard input and output must be open");
		exit(2);
	}
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	else
		close(STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	answer_to(out);
	return in;
}

/* Serves the lines of fd until it ends. */
static void serve_lines(int fd)
{
	static char buffer[MAX_LINE];
	size_t filled = 0;

	for (;;) {
		ssize_t got = read(fd, buffer + filled, sizeof buffer - filled);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		filled += (size_t)got;

		char *line = buffer, *newline;
		while ((newline = memchr(line, '\n', filled - (size_t)(line - buffer)))) {
			serve(line, (size_t)(newline - line));
			line = newline + 1;
		}
		filled -= (size_t)(line - buffer);
		memmove(buffer, line, filled);
		if (filled == sizeof buffer) {
			fprintf(stderr, "a message is longer than %d bytes: want one JSON-RPC message a line\n",
				MAX_LINE);
			_exit(2);
		}
	}
}

int main(void)
{
	/* A crash is an outcome here: no core file, which would fill a guest's memory. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	serve_lines(take_over_stdio());
	/* Not exit(): the libraries' destructors could wait for a call that blocks. */
	_exit(0);
}
