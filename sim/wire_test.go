package sim_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/sim"
	"joinmcast/spec"
)

// impair makes a host's wire bad; mend undoes it.
func (w *world) impair(host int, f spec.WireFault) (mend func()) {
	undo, err := w.hosts[host].(spec.Faulter).Inject(w.ctx, spec.Fault{Wire: &f})
	w.Expect(err).NotTo(HaveOccurred())
	return func() { w.Expect(undo(w.ctx)).To(Succeed()) }
}

// heard is what arrives at a member of n datagrams that the other host sends through a bad wire.
func heard(t *testing.T, seed int64, n int, f spec.WireFault) []string {
	w := newWorld(t, seed)
	sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
	m.post(31)
	mend := w.impair(0, f)
	for i := range n {
		sender.send(group, []byte(fmt.Sprint(i)), nil)
	}
	mend()
	sender.send(group, []byte("the end"), nil)
	var payloads []string
	for {
		payload := string(m.receives().Data)
		if payload == "the end" {
			return payloads
		}
		payloads = append(payloads, payload)
	}
}

func TestABadWire(t *testing.T) {
	for name, c := range map[string]struct {
		fault spec.WireFault
		want  []string
	}{
		"loses":      {spec.WireFault{Lose: 1}, nil},
		"duplicates": {spec.WireFault{Duplicate: 1}, []string{"0", "0", "1", "1", "2", "2", "3", "3"}},
		"reorders":   {spec.WireFault{Reorder: 1}, []string{"1", "0", "3", "2"}},
		"is cut":     {spec.WireFault{Cut: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(heard(t, 1, 4, c.fault)).To(Equal(c.want))
		})
	}
}

func TestWhatALossyWireLosesIsTheSeeds(t *testing.T) {
	g := NewWithT(t)
	lossy := spec.WireFault{Lose: 0.5}
	first := heard(t, 1, 24, lossy)
	g.Expect(heard(t, 1, 24, lossy)).To(Equal(first))
	g.Expect(len(first)).To(And(BeNumerically(">", 4), BeNumerically("<", 20)))
	g.Expect(heard(t, 2, 24, lossy)).NotTo(Equal(first))
}

func TestACutWireBringsNothingInEither(t *testing.T) {
	w := newWorld(t, 1)
	sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
	m.post(1)
	w.impair(1, spec.WireFault{Cut: true})
	sender.send(group, []byte("x"), nil)
	m.receivesNothing()
}

func TestABadWireOfASubnet(t *testing.T) {
	for name, c := range map[string]struct {
		fault spec.WireFault
		host  int
		want  []string
	}{
		"loses":          {spec.WireFault{Lose: 1}, 0, nil},
		"duplicates":     {spec.WireFault{Duplicate: 1}, 0, []string{"it", "it"}},
		"brings nothing": {spec.WireFault{Cut: true}, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWith(t, sim.Options{Kind: "mlx4"}, 1)
			sender, m := w.bound(0).withQP(), w.attachedMember(1, group)
			m.post(4)
			mend := w.impair(c.host, c.fault)
			sender.say("it")
			_, err := w.hosts[1].Observe(w.ctx) // until the wire is quiet
			w.Expect(err).NotTo(HaveOccurred())
			mend()
			sender.say("the end")
			w.Expect(m.hears("the end")).To(Equal(c.want))
		})
	}
}
