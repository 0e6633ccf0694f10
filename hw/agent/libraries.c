/*
 * Which files are under test: every shared object of this process with its build-id, read from its note in memory, so
 * that it is the file that runs and not one that lies at its path by now.
 */
#include "agent.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { BUILD_ID = 3 }; /* NT_GNU_BUILD_ID */

static size_t up4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* The build-id in a segment of notes, or NULL. */
static json_t *build_id(const uint8_t *notes, size_t size)
{
	ElfW(Nhdr) note;

	while (size >= sizeof note) {
		memcpy(&note, notes, sizeof note);
		size_t name = sizeof note, id = name + up4(note.n_namesz), next = id + up4(note.n_descsz);
		if (next > size)
			return NULL;
		if (note.n_type == BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0)
			return hex(notes + id, note.n_descsz);
		notes += next;
		size -= next;
	}
	return NULL;
}

static int add_library(struct dl_phdr_info *object, size_t size, void *libraries)
{
	char path[PATH_MAX];
	json_t *id = NULL;

	(void)size;
	if (object->dlpi_name[0] != '/') /* the agent itself, or the kernel's own vdso */
		return 0;
	for (int i = 0; i < object->dlpi_phnum && !id; i++)
		if (object->dlpi_phdr[i].p_type == PT_NOTE)
			id = build_id((const uint8_t *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr),
				      object->dlpi_phdr[i].p_memsz);
	json_object_set_new(libraries, realpath(object->dlpi_name, path) ? path : object->dlpi_name,
			    id ? id : json_string(""));
	return 0;
}

void list_libraries(struct call *call)
{
	if (refused(call))
		return;
	/* A provider is mapped once a device was opened. The list is kept, or librdmacm could close the devices. */
	rdma_get_devices(NULL);
	json_t *libraries = json_object();
	dl_iterate_phdr(add_library, libraries);
	call->answer = json_pack("{s:o}", "libraries", libraries);
	call->bare = true;
}
