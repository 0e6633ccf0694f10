/* A librdmacm that no release is, put before the real one: its calls wait and print as a test needs it. */
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

/* Sleeps in a futex without a time-out. */
struct rdma_event_channel *rdma_create_event_channel(void)
{
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&never, &mutex);
}

/* Sleeps in a futex with one. */
void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	struct timespec until = {.tv_sec = time(NULL) + 3600};

	(void)channel;
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&never, &mutex, &until) == 0)
		;
	pthread_mutex_unlock(&mutex);
}

/* Prints where the protocol would be. */
int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	(void)event;
	puts("a stray line");
	return fflush(stdout);
}
