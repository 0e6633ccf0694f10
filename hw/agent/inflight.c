/*
 * Which calls are open, and which of them nothing of their own will wake.
 *
 * The kernel says what a thread is doing in /proc/self/task/TID/syscall: "running", or the number and the arguments of
 * the system call it sleeps in. A call is blocked when its thread sleeps
 *   - in a futex without a time-out: only another thread of this process can wake it; or
 *   - in poll without a time-out: only an event can.
 * A thread that sleeps in read, write or ioctl waits for the kernel's answer, which may be on its way: not blocked. Nor
 * is one that sleeps outside of the C call, as at a lock of this file's.
 */
#include "agent.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct call *newest, *oldest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void begin(struct call *call)
{
	pthread_mutex_lock(&lock);
	call->older = newest;
	if (newest)
		newest->newer = call;
	else
		oldest = call;
	newest = call;
	pthread_mutex_unlock(&lock);
}

void end(struct call *call)
{
	pthread_mutex_lock(&lock);
	if (call->older)
		call->older->newer = call->newer;
	else
		oldest = call->newer;
	if (call->newer)
		call->newer->older = call->older;
	else
		newest = call->older;
	pthread_mutex_unlock(&lock);
}

/* The operations of futex(2) whose fourth argument is how long to wait. */
static bool futex_waits(unsigned long operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	}
	return false;
}

static bool sleeps_for_ever(long number, const unsigned long *args)
{
	switch (number) {
#ifdef SYS_futex
	case SYS_futex:
		return futex_waits(args[1]) && args[3] == 0;
#endif
#ifdef SYS_futex_time64
	case SYS_futex_time64:
		return futex_waits(args[1]) && args[3] == 0;
#endif
#ifdef SYS_poll
	case SYS_poll:
		return (int)args[2] < 0;
#endif
#ifdef SYS_ppoll
	case SYS_ppoll:
		return args[2] == 0;
#endif
#ifdef SYS_ppoll_time64
	case SYS_ppoll_time64:
		return args[2] == 0;
#endif
	}
	return false;
}

/* What a thread is seen doing. */
struct look {
	char syscall[256];  /* as the kernel writes it */
	long switches;      /* how often it has gone to sleep so far */
	bool asleep;        /* in a system call that nothing of its own ends */
};

static size_t read_task(pid_t tid, const char *file, char *text, size_t room)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, room - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length > 0 ? (size_t)length : 0;
}

static struct look look_at(pid_t tid)
{
	static const char switches[] = "\nvoluntary_ctxt_switches:";
	struct look seen = {0};
	unsigned long args[4];
	char status[4096];
	long number;

	read_task(tid, "syscall", seen.syscall, sizeof seen.syscall);
	seen.asleep = sscanf(seen.syscall, "%ld %lx %lx %lx %lx", &number, &args[0], &args[1], &args[2], &args[3]) == 5 &&
		      sleeps_for_ever(number, args);
	read_task(tid, "status", status, sizeof status);
	char *found = strstr(status, switches);
	seen.switches = found ? strtol(found + sizeof switches - 1, NULL, 10) : 0;
	return seen;
}

/* A call whose thread sleeps inside of it, as far as one look can tell. */
static bool seems_blocked(const struct call *call, struct look *seen)
{
	pid_t tid = __atomic_load_n(&call->tid, __ATOMIC_ACQUIRE);

	if (tid == 0 || !__atomic_load_n(&call->inside, __ATOMIC_SEQ_CST))
		return false;
	*seen = look_at(tid);
	return seen->asleep && __atomic_load_n(&call->inside, __ATOMIC_SEQ_CST);
}

static bool same(const struct look *before, const struct look *after)
{
	return before->switches == after->switches && strcmp(before->syscall, after->syscall) == 0;
}

/* Threads that meet at a lock sleep for a moment too. One that has slept through all of this is not one of them. */
static const struct timespec A_MOMENT = {.tv_nsec = 10 * 1000 * 1000};

/* All calls are looked at, then all once more: those that are blocked are so at the same time. */
void list_in_flight(struct call *call)
{
	json_t *calls = json_array();
	size_t length = 0, i = 0;
	bool any = false;

	if (refused(call)) {
		json_decref(calls);
		return;
	}
	pthread_mutex_lock(&lock);
	for (struct call *open = oldest; open; open = open->newer)
		length++;
	struct look *before = calloc(length ? length : 1, sizeof *before), after;
	for (struct call *open = oldest; before && open; open = open->newer, i++)
		any |= before[i].asleep = seems_blocked(open, &before[i]);
	if (any)
		nanosleep(&A_MOMENT, NULL);
	i = 0;
	for (struct call *open = oldest; before && open; open = open->newer, i++)
		json_array_append_new(calls, json_pack("{s:s, s:b}", "method", open->method->name, "blocked",
						       before[i].asleep && seems_blocked(open, &after) &&
							       same(&before[i], &after)));
	pthread_mutex_unlock(&lock);
	free(before);
	call->answer = json_pack("{s:o}", "calls", calls);
	call->bare = true;
}
