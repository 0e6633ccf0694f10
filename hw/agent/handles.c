/*
 * Handles. A C pointer makes no sense outside the process, and its address is used again after it was freed; a handle
 * is a number that stands for one object for ever. 0 stands for NULL, so that NULL can be passed on.
 */
#include "agent.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The pointer of handle n is at n-1; NULL there means that its object is gone. */
struct table {
	const char *noun;
	void **pointers;
	size_t used, room;
};

static struct table tables[KINDS] = {
	[CHANNEL] = {.noun = "event channel"}, [ID] = {.noun = "id"}, [QP] = {.noun = "QP"}, [AH] = {.noun = "AH"},
	[EVENT] = {.noun = "event"}, [RAW_FILE] = {.noun = "file"},
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t add(struct table *table, void *pointer)
{
	if (table->used == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->pointers = realloc(table->pointers, table->room * sizeof *table->pointers);
		if (!table->pointers) {
			fputs("no memory for handles\n", stderr);
			_exit(2);
		}
	}
	table->pointers[table->used++] = pointer;
	return (uint32_t)table->used;
}

/* Newest first: an address that was freed and used again stands for the new object. */
static uint32_t search(const struct table *table, const void *pointer)
{
	for (size_t i = table->used; pointer && i > 0; i--)
		if (table->pointers[i - 1] == pointer)
			return (uint32_t)i;
	return 0;
}

uint32_t give_handle(enum kind kind, void *pointer)
{
	if (!pointer)
		return 0;
	pthread_mutex_lock(&lock);
	uint32_t handle = add(&tables[kind], pointer);
	pthread_mutex_unlock(&lock);
	return handle;
}

uint32_t handle_of(enum kind kind, const void *pointer)
{
	pthread_mutex_lock(&lock);
	uint32_t handle = search(&tables[kind], pointer);
	pthread_mutex_unlock(&lock);
	return handle;
}

uint32_t know(enum kind kind, void *pointer)
{
	pthread_mutex_lock(&lock);
	uint32_t handle = search(&tables[kind], pointer);
	if (!handle && pointer)
		handle = add(&tables[kind], pointer);
	pthread_mutex_unlock(&lock);
	return handle;
}

void drop_handle(enum kind kind, uint32_t handle)
{
	pthread_mutex_lock(&lock);
	if (handle > 0 && handle <= tables[kind].used)
		tables[kind].pointers[handle - 1] = NULL;
	pthread_mutex_unlock(&lock);
}

void *pointer_of(enum kind kind, uint32_t handle)
{
	void *pointer = NULL;

	pthread_mutex_lock(&lock);
	if (handle > 0 && handle <= tables[kind].used)
		pointer = tables[kind].pointers[handle - 1];
	pthread_mutex_unlock(&lock);
	return pointer;
}

void *handle_param(struct call *call, json_t *object, const char *name, enum kind kind, uint32_t *handle)
{
	uint32_t number = handle_of_step(call, (uint32_t)int_param(call, object, name, 0, UINT32_MAX));
	void *pointer = pointer_of(kind, number);

	if (number != 0 && !pointer)
		refuse(call, INVALID_PARAMS, "%s: there is no %s %u, or no longer", call->method->name,
		       tables[kind].noun, number);
	if (handle)
		*handle = number;
	return pointer;
}
