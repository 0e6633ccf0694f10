package fabric_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
)

// through sends frames 1 to n through a bad cable and gives what another station got.
func through(t *testing.T, seed int64, n uint32, f spec.WireFault) []uint32 {
	w := newWire(t, seed)
	w.a.link.Impair(f)
	for qp := range n {
		w.a.send(group, qp+1)
	}
	w.settle()
	return w.b.got
}

func TestWhatABadCableDoes(t *testing.T) {
	for name, c := range map[string]struct {
		fault spec.WireFault
		want  []uint32
	}{
		"loses":           {spec.WireFault{Lose: 1}, nil},
		"duplicates":      {spec.WireFault{Duplicate: 1}, []uint32{1, 1, 2, 2, 3, 3}},
		"reorders":        {spec.WireFault{Reorder: 1}, []uint32{2, 1, 3}},
		"delays":          {spec.WireFault{Delay: 5}, []uint32{1, 2, 3}},
		"loses the twins": {spec.WireFault{Lose: 1, Duplicate: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(through(t, 1, 3, c.fault)).To(Equal(c.want))
		})
	}
}

func TestALossyCableIsTheSeeds(t *testing.T) {
	g := NewWithT(t)
	lossy := spec.WireFault{Lose: 0.3, Duplicate: 0.2, Reorder: 0.2}
	first := through(t, 1, 200, lossy)
	g.Expect(through(t, 1, 200, lossy)).To(Equal(first))
	g.Expect(through(t, 2, 200, lossy)).NotTo(Equal(first))
	arrived := slices.Clone(first)
	slices.Sort(arrived)
	g.Expect(len(slices.Compact(arrived))).To(BeNumerically("~", 140, 40))
	g.Expect(slices.IsSorted(first)).To(BeFalse())
}

func TestADelayedFrameArrivesAfterOtherThings(t *testing.T) {
	w := newWire(t, 1)
	w.a.link.Impair(spec.WireFault{Delay: 2})
	w.a.send(group, 1)
	for qp := range uint32(4) {
		w.b.send(group, 10+qp)
	}
	w.settle()
	w.Expect(w.c.got).To(Equal([]uint32{10, 11, 12, 13, 1}), "it reaches the switch after two and queues there")
}

func TestOtherStationsCablesAreNotBad(t *testing.T) {
	w := newWire(t, 1)
	w.a.link.Impair(spec.WireFault{Lose: 1})
	w.b.send(group, 1)
	w.settle()
	w.Expect(w.a.got).To(Equal([]uint32{1}))
}

func TestAMendedCableLetsGoWhatItHeldBack(t *testing.T) {
	w := newWire(t, 1)
	undo := w.a.link.Impair(spec.WireFault{Reorder: 1})
	w.a.send(group, 1)
	undo()
	w.a.send(group, 2)
	w.settle()
	w.Expect(w.b.got).To(Equal([]uint32{1, 2}))
}
