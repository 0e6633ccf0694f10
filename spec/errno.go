package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Errno is a Linux error number, whatever system the suite itself runs on.
type Errno int32

// The error numbers that the law names, and their neighbours. ENOTSUPP is kernel-internal and has no name in errno.h;
// it reaches user space all the same when a RoCEv2 port is asked for an IPv6 group (Linux cma_iboe_join_multicast).
const (
	EPERM           Errno = 1
	ENOENT          Errno = 2
	EINTR           Errno = 4
	EIO             Errno = 5
	ENXIO           Errno = 6
	EBADF           Errno = 9
	EAGAIN          Errno = 11
	ENOMEM          Errno = 12
	EACCES          Errno = 13
	EFAULT          Errno = 14
	EBUSY           Errno = 16
	EEXIST          Errno = 17
	ENODEV          Errno = 19
	EINVAL          Errno = 22
	EMFILE          Errno = 24
	ENOSPC          Errno = 28
	ENOSYS          Errno = 38
	ENODATA         Errno = 61
	EMSGSIZE        Errno = 90
	EPROTONOSUPPORT Errno = 93
	EOPNOTSUPP      Errno = 95
	EAFNOSUPPORT    Errno = 97
	EADDRINUSE      Errno = 98
	EADDRNOTAVAIL   Errno = 99
	ENETDOWN        Errno = 100
	ENETUNREACH     Errno = 101
	ENETRESET       Errno = 102
	ETIMEDOUT       Errno = 110
	ECONNREFUSED    Errno = 111
	EHOSTUNREACH    Errno = 113
	ECANCELED       Errno = 125
	ENOTSUPP        Errno = 524
)

// ENOTSUP is the same number as EOPNOTSUPP on Linux.
const ENOTSUP = EOPNOTSUPP

var errnoNames = map[Errno]string{
	EPERM: "EPERM", ENOENT: "ENOENT", EINTR: "EINTR", EIO: "EIO", ENXIO: "ENXIO", EBADF: "EBADF", EAGAIN: "EAGAIN",
	ENOMEM: "ENOMEM", EACCES: "EACCES", EFAULT: "EFAULT", EBUSY: "EBUSY", EEXIST: "EEXIST", ENODEV: "ENODEV",
	EINVAL: "EINVAL", EMFILE: "EMFILE", ENOSPC: "ENOSPC", ENOSYS: "ENOSYS", ENODATA: "ENODATA", EMSGSIZE: "EMSGSIZE",
	EPROTONOSUPPORT: "EPROTONOSUPPORT", EOPNOTSUPP: "EOPNOTSUPP", EAFNOSUPPORT: "EAFNOSUPPORT",
	EADDRINUSE: "EADDRINUSE", EADDRNOTAVAIL: "EADDRNOTAVAIL",
	ENETDOWN: "ENETDOWN", ENETUNREACH: "ENETUNREACH", ENETRESET: "ENETRESET", ETIMEDOUT: "ETIMEDOUT",
	ECONNREFUSED: "ECONNREFUSED", EHOSTUNREACH: "EHOSTUNREACH", ECANCELED: "ECANCELED", ENOTSUPP: "ENOTSUPP",
}

// Name is the symbol, "0" for success, or "errno N" for a number the law does not name.
func (e Errno) Name() string {
	if e == 0 {
		return "0"
	}
	if name, ok := errnoNames[e]; ok {
		return name
	}
	return "errno " + strconv.Itoa(int(e))
}

// String is the symbol with its number, as in "EINVAL (22)".
func (e Errno) String() string {
	if _, ok := errnoNames[e]; !ok {
		return e.Name()
	}
	return fmt.Sprintf("%s (%d)", e.Name(), int32(e))
}

// Error makes an Errno usable as an error inside a backend.
func (e Errno) Error() string { return e.String() }

// UnmarshalYAML reads an error number by its name, as in "ENOMEM"; the error for another word lists the names.
func (e *Errno) UnmarshalYAML(unmarshal func(any) error) error {
	return unmarshalName(unmarshal, "errno", errnoNames, e)
}

// unmarshalName reads one of the names of a kind of thing.
func unmarshalName[T ~int | ~int32](unmarshal func(any) error, kind string, names map[T]string, to *T) error {
	var word string
	if err := unmarshal(&word); err != nil {
		return err
	}
	for _, value := range slices.Sorted(maps.Keys(names)) {
		if names[value] == word {
			*to = value
			return nil
		}
	}
	known := slices.Sorted(maps.Values(names))
	return fmt.Errorf("no %s is named %q; known: %s", kind, word, strings.Join(known, ", "))
}
