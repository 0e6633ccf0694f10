package spec_test

import (
	"encoding/json"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

var group = netip.MustParseAddr("239.1.2.3")

func TestSockaddrLiesInMemoryAsLinuxLaysItOut(t *testing.T) {
	NewWithT(t).Expect([]byte(spec.NewSockaddr(group, 0x1f90))).To(Equal(
		[]byte{2, 0, 0x1f, 0x90, 239, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0}))
}

func TestSockaddrNamesItsAddressAndPort(t *testing.T) {
	g := NewWithT(t)
	for text, s := range map[string]spec.Sockaddr{
		"239.1.2.3":                      spec.NewSockaddr(group, 0),
		"239.1.2.3:8080":                 spec.NewSockaddr(group, 8080),
		"[ff1e::1]:1":                    spec.NewSockaddr(netip.MustParseAddr("ff1e::1"), 1),
		"NULL":                           nil,
		"AF_UNIX, 01 and 127 zero bytes": spec.EmptySockaddr(spec.AFUnix),
		"AF_UNSPEC,  and 128 zero bytes": spec.EmptySockaddr(spec.AFUnspec),
		"AF_INET, 02 and 1 zero bytes":   {2, 0},
		"AF_IB, 1b and 47 zero bytes":    spec.NewSockaddrIB(spec.GID{}),
	} {
		g.Expect(s.String()).To(Equal(text))
	}
}

func TestSockaddrWithDirtyPaddingIsNotShownAsAPlainAddress(t *testing.T) {
	s := spec.NewSockaddr(group, 0)
	s[15] = 1

	NewWithT(t).Expect(s.String()).To(HavePrefix("AF_INET, "))
}

func TestTruncatedSockaddrHasNoAddress(t *testing.T) {
	g := NewWithT(t)
	for size := range spec.SizeofSockaddrIn {
		short := spec.NewSockaddr(group, 1)[:size]
		g.Expect(short.Addr().IsValid()).To(BeFalse())
		g.Expect(short.Port()).To(BeZero())
	}
}

func TestWordsTravelAsJSONUnchanged(t *testing.T) {
	g := NewWithT(t)
	type words struct {
		Null, Set spec.Sockaddr
		Context   spec.Context
		GID       spec.GID
		Bytes     spec.Bytes
	}
	sent := words{
		Set: spec.NewSockaddr(group, 1), Context: 0xffffffffffffffff, GID: spec.MGIDOf(group), Bytes: spec.Bytes{0, 255},
	}

	text, err := json.Marshal(sent)
	g.Expect(err).NotTo(HaveOccurred())
	var got words
	g.Expect(json.Unmarshal(text, &got)).To(Succeed())

	g.Expect(got).To(Equal(sent))
}

func TestWordsRefuseWhatTheyDoNotWrite(t *testing.T) {
	g := NewWithT(t)
	g.Expect(json.Unmarshal([]byte(`"0g"`), new(spec.Sockaddr))).To(MatchError(ContainSubstring("sockaddr")))
	g.Expect(json.Unmarshal([]byte(`5`), new(spec.Sockaddr))).To(MatchError(ContainSubstring("hexadecimal")))
	g.Expect(json.Unmarshal([]byte(`"12"`), new(spec.GID))).To(MatchError(ContainSubstring("32 hexadecimal digits")))
	g.Expect(json.Unmarshal([]byte(`"12"`), new(spec.Context))).To(MatchError(ContainSubstring("0x")))
}

func TestErrnoHasNameAndNumber(t *testing.T) {
	g := NewWithT(t)
	g.Expect(spec.EINVAL.String()).To(Equal("EINVAL (22)"))
	g.Expect(spec.ENOTSUPP.String()).To(Equal("ENOTSUPP (524)"))
	g.Expect(spec.ENOTSUP.String()).To(Equal("EOPNOTSUPP (95)"))
	g.Expect(spec.Errno(0).String()).To(Equal("0"))
	g.Expect(spec.Errno(77).String()).To(Equal("errno 77"))
	g.Expect(spec.Errno(-22).String()).To(Equal("errno -22"))
}
