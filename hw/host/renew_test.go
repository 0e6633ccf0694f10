package main

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
)

func TestAHostIsAsItWasWhenNothingThatCanBeSeenDiffers(t *testing.T) {
	fresh := view{"taint": "0", "group 224.0.0.1 dev eth0": "1"}
	NewWithT(t).Expect(fresh.differences(view{"taint": "0", "group 224.0.0.1 dev eth0": "1"})).To(BeEmpty())
}

func TestADifferenceIsNamedWithBothValues(t *testing.T) {
	fresh := view{"taint": "0", "route 10.0.0.0/8": ""}
	NewWithT(t).Expect(fresh.differences(view{"taint": "512", "resource qp": "2"})).To(Equal([]string{
		"resource qp: none -> 2", "route 10.0.0.0/8:  -> none", "taint: 0 -> 512",
	}))
}

func TestAFewStrayFiltersOfTheIPv6MappingAreBorne(t *testing.T) {
	stray := func(n int) view {
		v := view{}
		for i := range n {
			v[fmt.Sprintf("filter 33:33:00:00:00:%02x dev eth0", i)] = "1"
		}
		return v
	}
	must := NewWithT(t)
	must.Expect(view{}.differences(stray(mostStrayFilters))).To(BeEmpty())
	must.Expect(view{}.differences(stray(mostStrayFilters + 1))).To(Equal([]string{"33 link-layer filters are left"}))
}

func TestAFilterThatWasThereIsNoStrayOne(t *testing.T) {
	const name = "filter 33:33:00:00:00:01 dev eth0"
	NewWithT(t).Expect(view{name: "1"}.differences(view{name: "2"})).To(Equal([]string{name + ": 1 -> 2"}))
}

func TestAProcessThatIsLeftSpoilsTheHost(t *testing.T) {
	must := NewWithT(t)
	shell.program = script(t, "read line")
	a, err := shell.start(false)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(processIsLeft()).To(BeTrue())
	must.Expect(a.stdin.Close()).To(Succeed())
	<-a.ended
	must.Expect(processIsLeft()).To(BeFalse())
}

func TestAHostThatIsNoGuestCannotBeRenewed(t *testing.T) {
	_, err := (&host{}).renew(t.Context(), none{})
	NewWithT(t).Expect(err).To(MatchError("renew: this host is not a guest of the suite"))
}

func TestAnRDMACoreThatTheHostDoesNotHoldIsRefused(t *testing.T) {
	NewWithT(t).Expect((&host{}).choose("3")).To(MatchError(`rdma-core "3": this host holds no such root`))
}
