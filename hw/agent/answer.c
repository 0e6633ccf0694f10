/* What a call left behind, and how it is written: one line for each call, in the order in which they end. */
#include "agent.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int answers = -1;
static pthread_mutex_t one_line_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void answer_to(int fd)
{
	answers = fd;
}

/* The first reason stands. */
void refuse(struct call *call, int code, const char *format, ...)
{
	va_list args;

	if (call->refusal)
		return;
	call->refusal = code;
	va_start(args, format);
	vsnprintf(call->why, sizeof call->why, format, args);
	va_end(args);
}

void succeeds_with_zero(struct call *call)
{
	call->ok = call->ret == 0;
}

void returns_pointer(struct call *call, const void *got)
{
	call->ret = got != NULL;
	call->ok = got != NULL;
}

void returns_nothing(struct call *call)
{
	call->ret = 0;
	call->ok = true;
}

static json_t *result_of(const struct call *call)
{
	if (call->bare)
		return json_incref(call->answer);
	json_t *result = json_pack("{s:b, s:i, s:i}", "ok", call->ok, "ret", call->ret, "errno", call->err);
	if (call->answer)
		json_object_set(result, "answer", call->answer);
	return result;
}

/* The message as text with its newline, to be freed. */
static char *line_of(const struct call *call)
{
	json_t *message = json_pack("{s:s, s:O}", "jsonrpc", "2.0", "id", call->id);

	if (call->refusal)
		json_object_set_new(message, "error",
				    json_pack("{s:i, s:s}", "code", call->refusal, "message", call->why));
	else
		json_object_set_new(message, "result", result_of(call));
	char *text = json_dumps(message, JSON_COMPACT);
	json_decref(message);

	size_t length = text ? strlen(text) : 0;
	char *line = text ? realloc(text, length + 2) : NULL;
	if (!line) {
		fputs("no memory for an answer\n", stderr);
		_exit(2);
	}
	memcpy(line + length, "\n", 2);
	return line;
}

static void write_all(const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t put = write(answers, bytes, length);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			perror("an answer cannot be written");
			_exit(2);
		}
		bytes += put;
		length -= (size_t)put;
	}
}

void answer(struct call *call)
{
	if (!call->id)
		return;
	char *line = line_of(call);
	if (strlen(line) > MAX_LINE) {
		free(line);
		refuse(call, INTERNAL_ERROR, "%s: the answer is longer than %d bytes", call->method->name, MAX_LINE);
		line = line_of(call);
	}
	pthread_mutex_lock(&one_line_at_a_time);
	write_all(line, strlen(line));
	pthread_mutex_unlock(&one_line_at_a_time);
	free(line);
}
