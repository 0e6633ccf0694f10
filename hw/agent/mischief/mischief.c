/*
 * What lies between librdmacm and the C library in a process that does mischief: preloaded, it can make one call of
 * librdmacm's fail, and counts the memory that librdmacm holds. It changes nothing for any other caller.
 *
 *   cc -std=gnu11 -O2 -g -Wall -Wextra -Werror -shared -fPIC -o bin/joinmcast-mischief.so hw/agent/mischief/mischief.c
 *
 * The agent finds the functions at the end by dlsym.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* The C library's own names: dlsym could allocate before it has found the functions that allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void __libc_free(void *block);
extern ssize_t __write(int fd, const void *bytes, size_t length);

/* Where librdmacm's code is in memory; nowhere until the program has been loaded. */
static uintptr_t text, text_end;

static int find_text(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!strstr(object->dlpi_name, "/librdmacm.so"))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
			text = object->dlpi_addr + part->p_vaddr;
			text_end = text + part->p_memsz;
		}
	}
	return 1;
}

__attribute__((constructor)) static void begin(void)
{
	dl_iterate_phdr(find_text, NULL);
}

#define CALLED_BY_LIBRDMACM is_in_librdmacm(__builtin_return_address(0))

static bool is_in_librdmacm(const void *caller)
{
	return (uintptr_t)caller >= text && (uintptr_t)caller < text_end;
}

/* The failure that a function of the C library is to have. */
struct failure {
	const char *function;
	atomic_int left; /* calls until it, itself included; 0: none is to come */
	int err;
};

static struct failure failures[] = {{.function = "calloc"}, {.function = "malloc"}, {.function = "write"}};
enum { CALLOC, MALLOC, WRITE };

/* Whether this call is the one; errno is set then. */
static bool fails(struct failure *failure)
{
	int left = atomic_load(&failure->left);

	while (left > 0 && !atomic_compare_exchange_weak(&failure->left, &left, left - 1))
		;
	if (left != 1)
		return false;
	errno = failure->err;
	return true;
}

/*
 * The blocks that librdmacm has got: a table that needs neither memory nor a lock, since it is used in both. A place
 * that was used once is not empty again, or a search would end there too early.
 */
enum { PLACES = 1 << 16 };
static _Atomic(uintptr_t) blocks[PLACES];
static const uintptr_t EMPTY = 0, FREED = 1;
static atomic_int held;

static size_t place_of(uintptr_t block, size_t i)
{
	return ((block >> 4) * 2654435761u + i) % PLACES;
}

static void *keep(void *block)
{
	for (size_t i = 0; block && i < PLACES; i++) {
		_Atomic(uintptr_t) *place = &blocks[place_of((uintptr_t)block, i)];
		uintptr_t there = atomic_load(place);
		if ((there == EMPTY || there == FREED) &&
		    atomic_compare_exchange_strong(place, &there, (uintptr_t)block)) {
			atomic_fetch_add(&held, 1);
			break;
		}
	}
	return block;
}

static void forget(void *block)
{
	for (size_t i = 0; block && i < PLACES; i++) {
		_Atomic(uintptr_t) *place = &blocks[place_of((uintptr_t)block, i)];
		uintptr_t there = atomic_load(place);
		if (there == EMPTY)
			return;
		if (there == (uintptr_t)block) {
			atomic_store(place, FREED);
			atomic_fetch_sub(&held, 1);
			return;
		}
	}
}

void *malloc(size_t size)
{
	if (!CALLED_BY_LIBRDMACM)
		return __libc_malloc(size);
	return fails(&failures[MALLOC]) ? NULL : keep(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	if (!CALLED_BY_LIBRDMACM)
		return __libc_calloc(count, size);
	return fails(&failures[CALLOC]) ? NULL : keep(__libc_calloc(count, size));
}

void free(void *block)
{
	forget(block);
	__libc_free(block);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	if (CALLED_BY_LIBRDMACM && fails(&failures[WRITE]))
		return -1;
	return __write(fd, bytes, length);
}

/* Makes one call of librdmacm's to a function fail, after the next skip calls; false for a function it knows not. */
bool joinmcast_fail_next(const char *function, int skip, int err)
{
	for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
		if (strcmp(failures[i].function, function) == 0) {
			atomic_store(&failures[i].left, 0);
			failures[i].err = err;
			atomic_store(&failures[i].left, skip + 1);
			return true;
		}
	return false;
}

/* How many blocks librdmacm has got that nobody has freed; -1 when librdmacm is not there. */
int joinmcast_allocations(void)
{
	return text ? atomic_load(&held) : -1;
}
