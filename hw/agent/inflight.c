/*
 * Which calls are open, and which of them nothing of their own will wake.
 *
 * The kernel says what a thread is doing in /proc/self/task/TID/syscall: "running", or the number and the arguments of
 * the system call it sleeps in. A call is blocked when its thread sleeps
 *   - in a futex without a time-out: only another thread of this process can wake it; or
 *   - in poll without a time-out: only an event can.
 * A thread that sleeps in read, write or ioctl waits for the kernel's answer, which may be on its way: not blocked.
 */
#include "agent.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
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

static bool is_blocked(pid_t tid)
{
	char path[64], text[256];
	unsigned long args[4];
	long number;

	if (tid == 0)
		return false;
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t length = read(fd, text, sizeof text - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	return sscanf(text, "%ld %lx %lx %lx %lx", &number, &args[0], &args[1], &args[2], &args[3]) == 5 &&
	       sleeps_for_ever(number, args);
}

void list_in_flight(struct call *call)
{
	json_t *calls = json_array();

	if (refused(call)) {
		json_decref(calls);
		return;
	}
	pthread_mutex_lock(&lock);
	for (struct call *open = oldest; open; open = open->newer) {
		pid_t tid = __atomic_load_n(&open->tid, __ATOMIC_ACQUIRE);
		json_array_append_new(calls, json_pack("{s:s, s:b}", "method", open->method->name, "blocked",
						       is_blocked(tid)));
	}
	pthread_mutex_unlock(&lock);
	call->answer = json_pack("{s:o}", "calls", calls);
	call->bare = true;
}
