#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's answer. */
static int join_in_child(struct rdma_cm_id *id, struct sockaddr *group)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(rdma_join_multicast(id, group, NULL) == 0 ? 0 : errno);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	return status == 0 ? 0 : -1;
}

/* Writes a command to the rdma_cm device: its header, its struct, and in that the address of room for the answer, or
 * one that no memory is mapped to. */
static int write_command(int file, unsigned command, const char *in, int response_at, unsigned room, int unmapped)
{
	struct { uint32_t command; uint16_t in, out; } header = {command, (uint16_t)(strlen(in) / 2), (uint16_t)room};
	size_t length = sizeof header + header.in;
	unsigned char *message = calloc(1, length + sizeof(uint64_t));
	uint64_t answer = (uintptr_t)mmap(NULL, 1 << 16, unmapped ? PROT_NONE : PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(message, &header, sizeof header);
	memcpy(message + sizeof header, bytes(in), header.in);
	if (response_at >= 0)
		memcpy(message + sizeof header + response_at, &answer, sizeof answer);
	return write(file, message, length) == (ssize_t)length ? 0 : -1;
}
