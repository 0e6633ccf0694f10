package bench

import (
	"context"
	"net/netip"
	"runtime"
	"slices"
	"testing"

	"joinmcast/sim"
	"joinmcast/spec"
)

// member is an application on a simulated host, with an id that joins and leaves groups.
type member struct {
	b       *testing.B
	ctx     context.Context // b's
	process spec.Process
	channel spec.Channel
	id      spec.ID
}

func newMember(b *testing.B, kind string) *member {
	b.Helper()
	lab, err := sim.NewLab(sim.Options{Kind: kind})
	must(b, err)
	backend, err := lab.Fresh(b.Context(), 1)
	must(b, err)
	m := &member{b: b, ctx: b.Context()}
	m.process, err = backend.Hosts()[0].Start(b.Context())
	must(b, err)
	m.channel, err = m.process.CreateEventChannel(b.Context())
	must(b, err)
	m.id, err = m.process.CreateID(b.Context(), m.channel, 0, spec.PSUDP)
	must(b, err)
	must(b, m.process.BindAddr(b.Context(), m.id, spec.NewSockaddr(netip.MustParseAddr("192.168.100.1"), 0)))
	return m
}

func must(b *testing.B, err error) {
	if err != nil {
		fatal(b, err)
	}
}

// fatal is apart from must so that the compiler inlines that into what is timed.
func fatal(b *testing.B, err error) {
	b.Helper()
	b.Fatal(err)
}

// join joins a group, retrieves the event and acknowledges it.
func (m *member) join(group spec.Sockaddr, c spec.Context) {
	must(m.b, m.process.JoinMulticast(m.ctx, m.id, group, c))
	e, err := m.process.GetEvent(m.ctx, m.channel)
	must(m.b, err)
	if e.Type != spec.MulticastJoin || e.UD.PrivateData != c {
		m.b.Fatalf("the event is %+v", e)
	}
	must(m.b, m.process.AckEvent(m.ctx, e.Ref))
}

func (m *member) leave(group spec.Sockaddr) {
	must(m.b, m.process.LeaveMulticast(m.ctx, m.id, group))
}

func heap() uint64 {
	runtime.GC()
	return memory().HeapAlloc
}

func mallocs() uint64 { return memory().Mallocs }

func memory() (s runtime.MemStats) {
	runtime.ReadMemStats(&s)
	return s
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// quiet is what the quietest tenth of all rounds took at most. It is for rounds that allocate nothing: all that makes
// one slower than another is what others do on the machine.
func quiet(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/10]
}
