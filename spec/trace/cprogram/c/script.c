/* Adds the round to four bytes of a group, so that each round has a group of its own. */
static void *advanced(void *group, size_t at, unsigned round)
{
	uint32_t number;

	memcpy(&number, (char *)group + at, sizeof number);
	number = htonl(ntohl(number) + round);
	memcpy((char *)group + at, &number, sizeof number);
	return group;
}

static void said_of_all(const char *call, long failed, long rounds, const char *then)
{
	printf("       %s failed %ld times in %ld rounds; the trace has %s\n", call, failed, rounds, then);
}
