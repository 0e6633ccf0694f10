/*
 * Params as C values. Each reader takes its param out of the object; what nobody took is refused in the end, for an
 * argument that is silently ignored would be judged as if it had been passed.
 */
#include "agent.h"

#include <stdlib.h>
#include <string.h>

/* Takes a param out of its object, to be released. */
static json_t *take(struct call *call, json_t *object, const char *name)
{
	json_t *value = json_incref(json_object_get(object, name));

	if (!value)
		refuse(call, INVALID_PARAMS, "%s: the param \"%s\" is missing", call->method->name, name);
	json_object_del(object, name);
	return value;
}

static const char *left_over(json_t *object)
{
	const char *name, *inner;
	json_t *value;

	json_object_foreach(object, name, value) {
		inner = json_is_object(value) ? left_over(value) : name;
		if (inner)
			return inner;
	}
	return NULL;
}

bool refused(struct call *call)
{
	const char *name = call->refusal ? NULL : left_over(call->params);

	if (name)
		refuse(call, INVALID_PARAMS, "%s: there is no param \"%.100s\"", call->method->name, name);
	return call->refusal != 0;
}

int64_t int_param(struct call *call, json_t *object, const char *name, int64_t min, int64_t max)
{
	json_t *value = take(call, object, name);
	int64_t number = json_integer_value(value);

	if (value && (!json_is_integer(value) || number < min || number > max))
		refuse(call, INVALID_PARAMS, "%s: \"%s\" must be a whole number from %lld to %lld", call->method->name,
		       name, (long long)min, (long long)max);
	json_decref(value);
	return number;
}

bool bool_param(struct call *call, json_t *object, const char *name)
{
	json_t *value = take(call, object, name);
	bool is = json_is_true(value);

	if (value && !json_is_boolean(value))
		refuse(call, INVALID_PARAMS, "%s: \"%s\" must be true or false", call->method->name, name);
	json_decref(value);
	return is;
}

void *context_param(struct call *call, const char *name)
{
	json_t *value = take(call, call->params, name);
	const char *text = json_string_value(value);
	unsigned long long number = 0;
	char *rest = "?";

	errno = 0;
	if (text && strncmp(text, "0x", 2) == 0 && text[2] != '\0')
		number = strtoull(text + 2, &rest, 16);
	if (value && (*rest != '\0' || errno != 0 || number > UINTPTR_MAX))
		refuse(call, INVALID_PARAMS, "%s: \"%s\" must be a pointer, as in \"0x2a\"", call->method->name, name);
	json_decref(value);
	return (void *)(uintptr_t)number;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Decodes at most room bytes; the result is their number, or -1 when the text is not that many bytes in hexadecimal. */
static ssize_t unhex(const char *text, uint8_t *bytes, size_t room)
{
	size_t length = text ? strlen(text) : 1;

	if (length % 2 != 0 || length / 2 > room)
		return -1;
	for (size_t i = 0; i < length / 2; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return -1;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return (ssize_t)(length / 2);
}

json_t *hex(const void *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * length + 1);

	if (!text)
		return json_null();
	for (size_t i = 0; i < length; i++) {
		text[2 * i] = digits[((const uint8_t *)bytes)[i] >> 4];
		text[2 * i + 1] = digits[((const uint8_t *)bytes)[i] & 15];
	}
	json_t *value = json_stringn(text, 2 * length);
	free(text);
	return value;
}

/* What is shorter than a sockaddr_storage is followed by zeros: what a library reads behind it is at least the same
 * every time. */
struct sockaddr *sockaddr_param(struct call *call, json_t *object, const char *name, struct sockaddr_storage *room)
{
	json_t *value = take(call, object, name);
	struct sockaddr *addr = json_is_null(value) ? NULL : (struct sockaddr *)room;

	memset(room, 0, sizeof *room);
	if (value && addr && unhex(json_string_value(value), (uint8_t *)room, sizeof *room) < 0)
		refuse(call, INVALID_PARAMS, "%s: \"%s\" must be null or up to %zu bytes in hexadecimal",
		       call->method->name, name, sizeof *room);
	json_decref(value);
	/* The group of a call is its one address, or its destination. */
	if (room->ss_family == AF_INET && strcmp(name, "src") != 0)
		advance(call, (uint8_t *)&((struct sockaddr_in *)room)->sin_addr);
	return addr;
}

/* A call's sockaddr is overwritten once the call has returned: a library that kept the pointer instead of a copy is
 * found out. */
void scribble(struct sockaddr_storage *room)
{
	memset(room, 0xA5, sizeof *room);
}

void gid_param(struct call *call, json_t *object, const char *name, union ibv_gid *gid)
{
	json_t *value = take(call, object, name);

	if (value && unhex(json_string_value(value), gid->raw, sizeof gid->raw) != sizeof gid->raw)
		refuse(call, INVALID_PARAMS, "%s: \"%s\" must be 32 hexadecimal digits", call->method->name, name);
	json_decref(value);
	advance(call, gid->raw + sizeof gid->raw - 4);
}

uint8_t *bytes_param(struct call *call, json_t *object, const char *name, size_t *length)
{
	json_t *value = take(call, object, name);
	uint8_t *bytes = malloc(MAX_LINE);
	ssize_t decoded = bytes ? unhex(json_string_value(value), bytes, MAX_LINE) : -1;

	if (value && decoded < 0)
		refuse(call, INVALID_PARAMS, "%s: \"%s\" must be bytes in hexadecimal", call->method->name, name);
	json_decref(value);
	*length = decoded < 0 ? 0 : (size_t)decoded;
	return bytes;
}

char *string_param(struct call *call, json_t *object, const char *name)
{
	json_t *value = take(call, object, name);
	char *text = strdup(json_is_string(value) ? json_string_value(value) : "");

	if (value && !json_is_string(value))
		refuse(call, INVALID_PARAMS, "%s: \"%s\" must be text", call->method->name, name);
	json_decref(value);
	return text;
}

bool null_param(json_t *object, const char *name)
{
	if (!json_is_null(json_object_get(object, name)))
		return false;
	json_object_del(object, name);
	return true;
}

json_t *object_param(struct call *call, json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	if (!json_is_object(value))
		refuse(call, INVALID_PARAMS, "%s: \"%s\" must be an object", call->method->name, name);
	return value;
}
