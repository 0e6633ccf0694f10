package spec

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
)

// Family is a sockaddr's sa_family, with Linux's numbers.
type Family uint16

// Families of the law: the three that librdmacm takes and some that it must refuse.
const (
	AFUnspec Family = 0
	AFUnix   Family = 1
	AFInet   Family = 2
	AFInet6  Family = 10
	AFPacket Family = 17
	AFIB     Family = 27
)

// String is the C name of the family, or its number.
func (f Family) String() string {
	switch f {
	case AFUnspec:
		return "AF_UNSPEC"
	case AFUnix:
		return "AF_UNIX"
	case AFInet:
		return "AF_INET"
	case AFInet6:
		return "AF_INET6"
	case AFPacket:
		return "AF_PACKET"
	case AFIB:
		return "AF_IB"
	}
	return fmt.Sprintf("family %d", uint16(f))
}

// Sizes in bytes of the structures librdmacm takes, by family.
const (
	SizeofSockaddrIn  = 16
	SizeofSockaddrIn6 = 28
	SizeofSockaddrIB  = 48
)

// Sockaddr is a struct sockaddr as it lies in memory, padding included; nil is NULL. The family is in the byte order of
// the machines this suite supports, which are little-endian; port and address are in network order.
type Sockaddr []byte

// NewSockaddr is the sockaddr_in or sockaddr_in6 of an address and a port, with all else zero.
func NewSockaddr(a netip.Addr, port uint16) Sockaddr {
	if a.Is4() {
		s := make(Sockaddr, SizeofSockaddrIn)
		binary.LittleEndian.PutUint16(s, uint16(AFInet))
		binary.BigEndian.PutUint16(s[2:], port)
		copy(s[4:8], a.AsSlice())
		return s
	}
	s := make(Sockaddr, SizeofSockaddrIn6)
	binary.LittleEndian.PutUint16(s, uint16(AFInet6))
	binary.BigEndian.PutUint16(s[2:], port)
	copy(s[8:24], a.AsSlice())
	return s
}

// NewSockaddrIB is the sockaddr_ib of a GID, with all else zero.
func NewSockaddrIB(g GID) Sockaddr {
	s := make(Sockaddr, SizeofSockaddrIB)
	binary.LittleEndian.PutUint16(s, uint16(AFIB))
	copy(s[8:24], g[:])
	return s
}

// EmptySockaddr is a zeroed sockaddr_storage-sized block of the given family, for families with no meaning here.
func EmptySockaddr(f Family) Sockaddr {
	s := make(Sockaddr, 128)
	binary.LittleEndian.PutUint16(s, uint16(f))
	return s
}

// Clone is a copy that shares no memory.
func (s Sockaddr) Clone() Sockaddr {
	if s == nil {
		return nil
	}
	return append(Sockaddr{}, s...)
}

// AppendTo appends the sockaddr's bytes to memory that is empty. A sockaddr_in, as nearly all are, goes there at once.
func (s Sockaddr) AppendTo(empty Sockaddr) Sockaddr {
	if len(s) == SizeofSockaddrIn && cap(empty) >= SizeofSockaddrIn {
		whole := empty[:SizeofSockaddrIn]
		*(*[SizeofSockaddrIn]byte)(whole) = [SizeofSockaddrIn]byte(s)
		return whole
	}
	return append(empty[:0], s...)
}

// Family is sa_family, AFUnspec when there are not even two bytes.
func (s Sockaddr) Family() Family {
	if len(s) < 2 {
		return AFUnspec
	}
	return Family(binary.LittleEndian.Uint16(s))
}

// Addr is the IP address of a whole sockaddr_in or sockaddr_in6; invalid for anything else.
func (s Sockaddr) Addr() netip.Addr {
	switch family := s.Family(); {
	case family == AFInet && len(s) >= SizeofSockaddrIn:
		return netip.AddrFrom4([4]byte(s[4:8]))
	case family == AFInet6 && len(s) >= SizeofSockaddrIn6:
		return netip.AddrFrom16([16]byte(s[8:24]))
	}
	return netip.Addr{}
}

// Port is sin_port or sin6_port, 0 for anything else.
func (s Sockaddr) Port() uint16 {
	if !s.Addr().IsValid() {
		return 0
	}
	return binary.BigEndian.Uint16(s[2:])
}

// String is the address as people write it, or the family and the bytes when it is not a plain IP address.
func (s Sockaddr) String() string {
	switch {
	case s == nil:
		return "NULL"
	case s.Addr().IsValid() && string(s) == string(NewSockaddr(s.Addr(), s.Port())):
		if s.Port() == 0 {
			return s.Addr().String()
		}
		return netip.AddrPortFrom(s.Addr(), s.Port()).String()
	default:
		tail := len(s) - len(bytes.TrimRight(s, "\x00"))
		return fmt.Sprintf("%s, %x and %d zero bytes", s.Family(), []byte(s[:len(s)-tail]), tail)
	}
}

// MarshalJSON writes the bytes in hexadecimal, NULL as null.
func (s Sockaddr) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	return []byte(`"` + hex.EncodeToString(s) + `"`), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Sockaddr) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*s = nil
		return nil
	}
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return fmt.Errorf("sockaddr %s: want bytes in hexadecimal, or null", b)
	}
	raw, err := hex.DecodeString(string(b[1 : len(b)-1]))
	if err != nil {
		return fmt.Errorf("sockaddr %s: %w", b, err)
	}
	*s = raw
	return nil
}

// GID is a 128-bit global identifier in network order; a multicast one is an MGID.
type GID [16]byte

// MGIDOf is the MGID that a RoCEv2 port gives an IPv4 group: the v4-mapped address (Linux cma_iboe_set_mgid).
func MGIDOf(a netip.Addr) GID { return a.As16() }

// String is the GID in IPv6 notation.
func (g GID) String() string { return netip.AddrFrom16(g).String() }

// MarshalText writes the GID as 32 hexadecimal digits.
func (g GID) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(g[:])), nil }

// UnmarshalText reads what MarshalText writes.
func (g *GID) UnmarshalText(b []byte) error {
	if len(b) != 32 {
		return fmt.Errorf("GID %q: want 32 hexadecimal digits", b)
	}
	_, err := hex.Decode(g[:], b)
	return err
}

// Context is the caller's void *, passed through untouched; 0 is NULL.
type Context uint64

// MarshalText writes the context as C would print the pointer.
func (c Context) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%#x", uint64(c)), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Context) UnmarshalText(b []byte) error {
	var v uint64
	if _, err := fmt.Sscanf(string(b), "0x%x", &v); err != nil {
		return fmt.Errorf("context %q: want a number in hexadecimal after 0x", b)
	}
	*c = Context(v)
	return nil
}

// String is the context as C would print the pointer.
func (c Context) String() string { return fmt.Sprintf("%#x", uint64(c)) }
