package kernel

import (
	"maps"
	"math/rand/v2"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim/fabric"
)

// Groups do what a plain count does, those that share a link-layer address too.
func TestIPv4GroupsAreCountedOneByOne(t *testing.T) {
	g := NewWithT(t)
	random := rand.New(rand.NewPCG(1, 0))
	groups, plain := ipv4Groups{}, map[netip.Addr]uint32{}
	for range 5000 {
		a := netip.AddrFrom4([4]byte{239 - byte(random.IntN(3)), byte(random.IntN(2)) << 7, 0, byte(random.IntN(3))})
		if random.IntN(2) == 0 {
			plain[a]++
			g.Expect(groups.add(a)).To(Equal(plain[a] == 1))
		} else {
			g.Expect(groups.remove(a)).To(Equal(plain[a] == 1))
			if plain[a] > 0 {
				plain[a]--
			}
		}
		if plain[a] == 0 {
			delete(plain, a)
		}
		g.Expect(maps.Collect(groups.users())).To(Equal(plain))
		g.Expect(groups.has(a)).To(Equal(plain[a] > 0))
		shared := false
		for other := range plain {
			shared = shared || fabric.GroupMAC(other) == fabric.GroupMAC(a)
		}
		g.Expect(groups.lets(fabric.GroupMAC(a))).To(Equal(shared))
	}
	g.Expect(groups.lets(fabric.MAC{0x33, 0x33})).To(BeFalse())
}
