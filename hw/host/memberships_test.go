package main

import (
	"net/netip"
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

func testdata(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(text)
}

func TestIGMPGroupsBelongToTheDeviceAboveThem(t *testing.T) {
	must := NewWithT(t)
	groups, err := parseIGMP(testdata(t, "igmp"))
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(groups).To(Equal([]spec.Membership{
		{Netdev: "lo", Group: netip.MustParseAddr("224.0.0.1"), Users: 1},
		{Netdev: "eth0", Group: netip.MustParseAddr("239.1.2.3"), Users: 2},
		{Netdev: "eth0", Group: netip.MustParseAddr("224.0.0.1"), Users: 1},
	}))
}

func TestMLDGroupsAreRead(t *testing.T) {
	must := NewWithT(t)
	groups, err := parseMLD(testdata(t, "igmp6"))
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(groups).To(Equal([]spec.Membership{
		{Netdev: "lo", Group: netip.MustParseAddr("ff02::1"), Users: 1},
		{Netdev: "eth0", Group: netip.MustParseAddr("ff02::1:ffb1:1"), Users: 3},
	}))
}

func TestLinkFiltersAreRead(t *testing.T) {
	must := NewWithT(t)
	filters, err := parseFilters(testdata(t, "dev_mcast"))
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(filters).To(Equal([]spec.LinkFilter{
		{Netdev: "eth0", Addr: "01:00:5e:01:02:03", Users: 2},
		{Netdev: "ib0", Addr: "00:ff:ff:ff:ff:12:40:1b:00:00:00:00:00:00:00:00:00:00:00:01", Users: 1},
	}))
}

func TestNoMembershipsIsAnEmptyListNotNull(t *testing.T) {
	must := NewWithT(t)
	groups, err := parseIGMP("Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n")
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(groups).To(BeEmpty())
	must.Expect(groups).NotTo(BeNil())
}

func TestABadLineIsNamed(t *testing.T) {
	for file, parse := range map[string]func(string) error{
		"/proc/net/igmp": func(s string) error { _, err := parseIGMP("Idx\n" + s); return err },
		"/proc/net/igmp6": func(s string) error {
			_, err := parseMLD("1 lo ff020000000000000000000000000001 1 0C 0\n" + s)
			return err
		},
		"/proc/net/dev_mcast": func(s string) error { _, err := parseFilters("2 eth0 1 0 01005e000001\n" + s); return err },
	} {
		NewWithT(t).Expect(parse("\tnonsense here")).To(MatchError(ContainSubstring(file+" line 2 is")), file)
	}
}
