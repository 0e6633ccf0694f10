package main

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"joinmcast/spec"
)

// parseIGMP reads /proc/net/igmp: a line for each network device that begins with its index, then one for each group
// that begins with the group's four bytes as a number in the machine's byte order (Linux igmp_mc_seq_show).
func parseIGMP(text string) ([]spec.Membership, error) {
	list := []spec.Membership{}
	netdev := ""
	for i, line := range lines(text)[min(1, len(lines(text))):] {
		fields := strings.Fields(line)
		if !strings.HasPrefix(line, "\t") {
			if len(fields) < 2 {
				return nil, badLine("/proc/net/igmp", i+2, line, "an index and a network device")
			}
			netdev = strings.TrimSuffix(fields[1], ":")
			continue
		}
		group, users, ok := igmpGroup(fields)
		if !ok || netdev == "" {
			return nil, badLine("/proc/net/igmp", i+2, line, "a group in 8 hexadecimal digits and its users")
		}
		list = append(list, spec.Membership{Netdev: netdev, Group: group, Users: users})
	}
	return list, nil
}

func igmpGroup(fields []string) (netip.Addr, int, bool) {
	if len(fields) < 2 {
		return netip.Addr{}, 0, false
	}
	raw, err := hex.DecodeString(fields[0])
	if err != nil || len(raw) != 4 {
		return netip.Addr{}, 0, false
	}
	users, err := strconv.Atoi(fields[1])
	slices.Reverse(raw)
	return netip.AddrFrom4([4]byte(raw)), users, err == nil
}

// parseMLD reads /proc/net/igmp6: index, network device, group in 32 hexadecimal digits, users, flags, timer.
func parseMLD(text string) ([]spec.Membership, error) {
	list := []spec.Membership{}
	for i, line := range lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			return nil, badLine("/proc/net/igmp6", i+1, line, "index, network device, group and users")
		}
		raw, err := hex.DecodeString(fields[2])
		users, err2 := strconv.Atoi(fields[3])
		if err != nil || err2 != nil || len(raw) != 16 {
			return nil, badLine("/proc/net/igmp6", i+1, line, "a group in 32 hexadecimal digits and its users")
		}
		list = append(list, spec.Membership{Netdev: fields[1], Group: netip.AddrFrom16([16]byte(raw)), Users: users})
	}
	return list, nil
}

// parseFilters reads /proc/net/dev_mcast: index, network device, users, global users, address in hexadecimal.
func parseFilters(text string) ([]spec.LinkFilter, error) {
	list := []spec.LinkFilter{}
	for i, line := range lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 5 {
			return nil, badLine("/proc/net/dev_mcast", i+1, line, "five fields")
		}
		users, err := strconv.Atoi(fields[2])
		raw, err2 := hex.DecodeString(fields[4])
		if err != nil || err2 != nil || len(raw) == 0 {
			return nil, badLine("/proc/net/dev_mcast", i+1, line, "users and an address in hexadecimal")
		}
		list = append(list, spec.LinkFilter{Netdev: fields[1], Addr: colons(raw), Users: users})
	}
	return list, nil
}

func colons(raw []byte) string {
	bytes := make([]string, len(raw))
	for i, b := range raw {
		bytes[i] = fmt.Sprintf("%02x", b)
	}
	return strings.Join(bytes, ":")
}

// lines splits a text into its lines that are not empty.
func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
}

func badLine(file string, number int, line, want string) error {
	return fmt.Errorf("%s line %d is %q: want %s", file, number, line, want)
}
