package walk

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"joinmcast/spec"
)

// symbols are what the strings in a walk stand for on one backend.
type symbols struct {
	values map[string]any                // symbol -> what stands in the JSON of a call's arguments
	groups map[string]netip.Addr         // group1…
	names  map[netip.Addr]string         // addresses -> symbol
	given  map[handle]string             // handles -> symbol
	links  []struct{ addr, name string } // ends of link-layer filters -> symbol

	senders []uint32 // numbers of the QPs that were heard, the first one first
}

// handle is one that a process gave.
type handle struct {
	by, kind string
	number   uint64
}

// Groups is how many groups a walk has. The last is a twin of the first: both have the same link-layer address.
const (
	Groups = 3
	twin   = "group3"
)

// fixed are the addresses that are the same in all walks.
var fixed = map[string]string{
	"any": "0.0.0.0", "loopback": "127.0.0.1", "any6": "::", "all-systems": "224.0.0.1", "group6": "ff1e::7:1",
	"broadcast": "255.255.255.255", "nowhere": "192.0.2.1", "other": "10.77.0.1", "unicast": "192.0.2.9",
	"class-e": "240.77.0.9",
}

func newSymbols(seed uint64) *symbols {
	s := &symbols{
		values: map[string]any{}, groups: map[string]netip.Addr{}, names: map[netip.Addr]string{}, given: map[handle]string{},
	}
	for i := 1; i < Groups; i++ {
		s.group(fmt.Sprintf("group%d", i), netip.AddrFrom4([4]byte{239, byte(seed>>8)&0x7f | 1, byte(seed), byte(i)}))
	}
	s.group(twin, netip.AddrFrom4([4]byte{239, byte(seed>>8) | 0x81, byte(seed), 1}))
	s.sockaddr("group1-mapped", spec.NewSockaddr(netip.AddrFrom16(s.groups["group1"].As16()), 0))
	// Where two share a link-layer address, it has the name of the first: always the same one.
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		s.addr(name, netip.MustParseAddr(fixed[name]))
	}
	s.sockaddr("ib", spec.NewSockaddrIB(spec.GID{0xff, 0x12, 15: 1}))
	s.sockaddr("any-ib", spec.NewSockaddrIB(spec.GID{}))
	s.sockaddr("unix", spec.EmptySockaddr(spec.AFUnix))
	s.sockaddr("unspec", spec.EmptySockaddr(spec.AFUnspec))
	s.values["other/24"] = "10.77.0.1/24"
	s.values["zero-gid"] = mustText(spec.GID{})
	s.values["group6.gid"] = mustText(spec.GID(netip.MustParseAddr("ff1e::7:1").As16()))
	return s
}

// host makes symbols of a host's address and devices: host 0 is local, host 1 the peer.
func (s *symbols) host(number int, a netip.Addr, port spec.Port) {
	name := []string{"local", "peer"}[number]
	s.addr(name, a)
	s.values[name+"/24"] = netip.PrefixFrom(a, 24).String()
	s.values["netdev"], s.values["device"] = port.Netdev, port.Device
}

func (s *symbols) group(name string, a netip.Addr) {
	s.groups[name] = a
	s.addr(name, a)
}

// link4 makes symbols of the link-layer addresses that an IPv4 address has as a group, be it one or not.
func (s *symbols) link4(name string, b [4]byte) {
	s.links = append(s.links,
		struct{ addr, name string }{fmt.Sprintf("01:00:5e:%02x:%02x:%02x", b[1]&0x7f, b[2], b[3]), "01:00:5e+" + name},
		struct{ addr, name string }{fmt.Sprintf("33:33:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3]), "33:33+" + name})
}

// addr makes a symbol of an address: as it is, with a port, dirty behind it, and as the GID of its group.
func (s *symbols) addr(name string, a netip.Addr) {
	s.names[a] = name
	if a.Is4() {
		s.link4(name, a.As4())
	}
	s.sockaddr(name, spec.NewSockaddr(a, 0))
	s.sockaddr(name+":7000", spec.NewSockaddr(a, 7000))
	dirty := spec.NewSockaddr(a, 0)
	if a.Is4() {
		dirty[len(dirty)-1] = 1
	}
	s.sockaddr(name+"+dirt", dirty)
	s.values[name+".gid"] = mustText(spec.MGIDOf(a))
	s.sockaddr(name+".ib", spec.NewSockaddrIB(spec.MGIDOf(a)))
	s.values[name+"/32"] = netip.PrefixFrom(a, 32).String()
}

func (s *symbols) sockaddr(name string, a spec.Sockaddr) { s.values[name] = hex.EncodeToString(a) }

func mustText(g spec.GID) string {
	text, _ := g.MarshalText() // it never fails
	return string(text)
}

// give binds a symbol to a handle.
func (s *symbols) give(symbol string, h handle) {
	s.values[symbol] = h.number
	s.given[h] = symbol
}

// name is a handle's symbol.
func (s *symbols) name(h handle) string {
	if h.number == 0 {
		return "NULL"
	}
	if symbol, ok := s.given[h]; ok {
		return symbol
	}
	return h.kind + "?"
}

// knows tells whether a string is a symbol by its form, whether or not it stands for something by now.
func (s *symbols) isHandle(text string) (kind string, ok bool) {
	kind = strings.TrimRight(text, "0123456789")
	if kind == text {
		switch {
		case strings.HasSuffix(text, ".event"):
			return "event", true
		case strings.HasSuffix(text, ".qp"):
			return "qp", true
		case strings.HasSuffix(text, ".ah"):
			return "way", true
		}
		return "", false
	}
	return kind, slices.Contains([]string{"ch", "id", "ep", "qp", "ev", "ah", "file", "fd", "change"}, kind)
}

// resolve puts what the symbols stand for into a copy of args; missing are those that stand for nothing.
func (s *symbols) resolve(args any) (resolved any, missing []string) {
	switch a := args.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(a)) {
			v, m := s.resolve(a[key])
			out[key], missing = v, append(missing, m...)
		}
		return out, missing
	case []any:
		out := make([]any, len(a))
		for i := range a {
			v, m := s.resolve(a[i])
			out[i], missing = v, append(missing, m...)
		}
		return out, missing
	case string:
		if v, ok := s.values[a]; ok {
			return v, nil
		}
		if _, ok := s.isHandle(a); ok {
			return nil, []string{a}
		}
	}
	return args, nil
}

// mentioned are the strings anywhere in args.
func mentioned(args any) []string {
	var all []string
	switch a := args.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(a)) {
			all = append(all, mentioned(a[key])...)
		}
	case []any:
		for _, v := range a {
			all = append(all, mentioned(v)...)
		}
	case string:
		all = append(all, a)
	}
	return all
}

// into fills a call's arguments.
func into(resolved any, args any) error {
	text, err := json.Marshal(resolved)
	if err == nil {
		err = json.Unmarshal(text, args)
	}
	return err
}

// sender tells QPs that were heard from one another: it counts them from 1, in the order that they were first heard.
func (s *symbols) sender(number uint32) int {
	if k := slices.Index(s.senders, number); k >= 0 {
		return k + 1
	}
	s.senders = append(s.senders, number)
	return len(s.senders)
}

// gid is a GID by the name of its group or address.
func (s *symbols) gid(g spec.GID) string {
	if name, ok := s.names[netip.AddrFrom16(g).Unmap()]; ok {
		return name
	}
	return g.String()
}

// solicited are the groups of neighbour discovery, which hold a part of an address (RFC 4291).
var solicited = netip.MustParsePrefix("ff02::1:ff00:0/104")

func (s *symbols) addrName(a netip.Addr) string {
	if solicited.Contains(a) {
		return "solicited-node"
	}
	if name, ok := s.names[a.Unmap()]; ok {
		return name
	}
	return a.String()
}

// link is a link-layer address by the name of its group.
func (s *symbols) link(addr string) string {
	if strings.HasPrefix(addr, "33:33:ff:") {
		return "33:33+solicited-node"
	}
	for _, l := range s.links {
		if addr == l.addr {
			return l.name
		}
	}
	return addr
}

// longest is how many characters of a string are written in full, as those of an address are.
const longest = 80

// plain writes data in one line: keys in order, quotes only where a string has a space, the payload of a datagram cut.
func plain(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, key+"="+plain(v[key]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, plain(e))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case nil:
		return "NULL"
	case string:
		if len(v) > longest {
			return fmt.Sprintf("%s…(%d characters)", v[:longest/2], len(v))
		}
		if strings.ContainsAny(v, " \n") || v == "" {
			return strconv.Quote(v)
		}
		return v
	}
	return fmt.Sprint(v)
}
