/*
 * Sequences of calls that race: each in a thread of its own, with a barrier before every round. A step is a call like
 * any other, from its params to its answer; of the answer the tally is kept, and the handle for the steps that follow.
 *
 * For as long as it runs, a sequence has exactly one call open: a step, or its wait at the barrier. The next one begins
 * before the last one ends, so that whoever finds all of a script's calls blocked knows that nothing will wake them.
 */
#include "agent.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint32_t OF_STEP = 1u << 31;

enum { ERRNOS = 1024, EVENTS = 32 };

struct step {
	const struct method *method;
	json_t *args;
	bool advances;
	int outcomes[ERRNOS]; /* by errno, 0 for success */
	int events[EVENTS];   /* by type */
	uint64_t slowest;
};

struct sequence {
	struct step *steps;
	uint32_t length;
	int rounds;
	pthread_barrier_t *barrier;
	struct call *open; /* the call that the thread begins with: it is open before the thread is */
	int refusal;       /* the first of a step's, and why */
	char why[256];
};

static void *memory(size_t count, size_t size)
{
	void *room = calloc(count ? count : 1, size);

	if (!room) {
		fputs("no memory for a script\n", stderr);
		_exit(2);
	}
	return room;
}

uint32_t handle_of_step(struct call *call, uint32_t number)
{
	if (!(number & OF_STEP) || call->refusal)
		return number;
	uint32_t step = number & ~OF_STEP;
	if (call->round && step < call->round->steps)
		return call->round->handles[step];
	refuse(call, INVALID_PARAMS, "%s: no step %u is before this one", call->method->name, step);
	return 0;
}

void advance(const struct call *call, uint8_t *group)
{
	uint32_t number;

	if (!call->round || !call->round->advances)
		return;
	memcpy(&number, group, sizeof number);
	number = htonl(ntohl(number) + call->round->number);
	memcpy(group, &number, sizeof number);
}

/* A call that is not made yet: of a step, or, without one, of the barrier. */
static struct call *begin_call(const struct step *step, const struct round *round)
{
	static const struct method barrier = {.name = "barrier"};
	struct call *call = memory(1, sizeof *call);

	call->method = step ? step->method : &barrier;
	call->params = step ? json_deep_copy(step->args) : NULL;
	call->round = round;
	begin(call);
	return call;
}

static struct call *replace(struct call *open, struct call *next)
{
	__atomic_store_n(&next->tid, gettid(), __ATOMIC_RELEASE);
	end(open);
	free_call(open);
	return next;
}

/* The handle in an answer; 0 when the call failed or gives none. */
static uint32_t handle_given(const struct call *call)
{
	const char *name;
	json_t *value;

	if (call->ok)
		json_object_foreach(call->answer, name, value) {
			if (json_is_object(value))
				value = json_object_get(value, "ref");
			if (json_is_integer(value))
				return (uint32_t)json_integer_value(value);
		}
	return 0;
}

static void count(struct step *step, const struct call *call)
{
	json_t *event = json_object_get(call->answer, "event");
	int err = call->ok ? 0 : call->err;

	step->outcomes[err >= 0 && err < ERRNOS ? err : ERRNOS - 1]++;
	if (call->ok && event) {
		json_int_t type = json_integer_value(json_object_get(event, "type"));
		step->events[type >= 0 && type < EVENTS ? type : EVENTS - 1]++;
	}
	if (call->ns > step->slowest)
		step->slowest = call->ns;
}

static void keep_refusal(struct sequence *sequence, uint32_t step, const struct call *call)
{
	if (!call->refusal || sequence->refusal)
		return;
	sequence->refusal = call->refusal;
	snprintf(sequence->why, sizeof sequence->why, "step %u: %.200s", step, call->why);
}

static void *run_sequence(void *opaque)
{
	struct sequence *sequence = opaque;
	struct round round = {.handles = memory(sequence->length, sizeof(uint32_t))};
	struct call *open = sequence->open;

	__atomic_store_n(&open->tid, gettid(), __ATOMIC_RELEASE);
	for (int number = 0; number < sequence->rounds; number++) {
		if (number > 0)
			open = replace(open, begin_call(NULL, NULL));
		MAKE(open, pthread_barrier_wait(sequence->barrier));
		round.number = (uint32_t)number;
		for (round.steps = 0; round.steps < sequence->length; round.steps++) {
			struct step *step = &sequence->steps[round.steps];
			round.advances = step->advances;
			open = replace(open, begin_call(step, &round));
			step->method->perform(open);
			keep_refusal(sequence, round.steps, open);
			count(step, open);
			round.handles[round.steps] = handle_given(open);
		}
	}
	end(open);
	free_call(open);
	free(round.handles);
	return NULL;
}

static void run_all(struct sequence *sequences, size_t length)
{
	pthread_t *threads = memory(length, sizeof *threads);

	for (size_t i = 0; i < length; i++) {
		sequences[i].open = begin_call(NULL, NULL);
		if (pthread_create(&threads[i], NULL, run_sequence, &sequences[i]) != 0) {
			fputs("no thread for a sequence\n", stderr);
			_exit(2);
		}
	}
	for (size_t i = 0; i < length; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void read_step(struct call *call, json_t *object, struct step *step)
{
	const char *name = json_string_value(json_object_get(object, "method"));

	step->method = name ? find_method(name) : NULL;
	step->args = json_object_get(object, "args");
	step->advances = json_is_true(json_object_get(object, "advance"));
	if (!step->method || step->method->at_once || step->method->perform == run_script)
		refuse(call, INVALID_PARAMS, "script: no step is named \"%.100s\"", name ? name : "");
	if (!json_is_object(step->args))
		refuse(call, INVALID_PARAMS, "script: \"args\" of a step must be an object");
}

static json_t *tally_of(const struct step *step)
{
	json_t *outcomes = json_object(), *events = json_object();
	char number[16];

	for (int i = 0; i < ERRNOS; i++)
		if (step->outcomes[i]) {
			snprintf(number, sizeof number, "%d", i);
			json_object_set_new(outcomes, number, json_integer(step->outcomes[i]));
		}
	for (int i = 0; i < EVENTS; i++)
		if (step->events[i]) {
			snprintf(number, sizeof number, "%d", i);
			json_object_set_new(events, number, json_integer(step->events[i]));
		}
	return json_pack("{s:o, s:o, s:I}", "outcomes", outcomes, "events", events,
			 "slowest", (json_int_t)step->slowest);
}

static json_t *tallies_of(const struct sequence *sequence)
{
	json_t *tallies = json_array();

	for (uint32_t k = 0; k < sequence->length; k++)
		json_array_append_new(tallies, tally_of(&sequence->steps[k]));
	return tallies;
}

void run_script(struct call *call)
{
	json_t *script = object_param(call, call->params, "script"), *list, *object;
	int rounds = (int)int_param(call, script, "rounds", 0, INT32_MAX);
	json_t *lists = json_incref(json_object_get(script, "sequences"));
	size_t length = json_array_size(lists), i, k;
	struct sequence *sequences = memory(length, sizeof *sequences);
	pthread_barrier_t barrier;

	json_object_del(script, "sequences");
	json_array_foreach(lists, i, list) {
		sequences[i] = (struct sequence){
			.steps = memory(json_array_size(list), sizeof(struct step)),
			.length = (uint32_t)json_array_size(list),
			.rounds = rounds,
			.barrier = &barrier,
		};
		json_array_foreach(list, k, object)
			read_step(call, object, &sequences[i].steps[k]);
	}
	if (!refused(call) && length > 0) {
		pthread_barrier_init(&barrier, NULL, (unsigned)length);
		MAKE(call, run_all(sequences, length));
		pthread_barrier_destroy(&barrier);
	}
	returns_nothing(call);
	json_t *tallies = json_array();
	for (i = 0; i < length; i++) {
		if (sequences[i].refusal)
			refuse(call, sequences[i].refusal, "script: sequence %zu, %s", i, sequences[i].why);
		json_array_append_new(tallies, tallies_of(&sequences[i]));
		free(sequences[i].steps);
	}
	call->answer = json_pack("{s:o}", "tallies", tallies);
	free(sequences);
	json_decref(lists);
}
