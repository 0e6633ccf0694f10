package bench

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"joinmcast/sim"
	"joinmcast/spec"
)

// inevitable is the least that a stack with n live memberships has to do in a cycle: to keep the membership and to hand
// its event over, each of the four calls under the stack's lock.
type inevitable struct {
	lock    sync.Mutex
	live    map[uint64]*record
	pending []*record
	acked   uint64
}

type record struct{ key, context uint64 }

func newInevitable(n int, random *rand.Rand) *inevitable {
	s := &inevitable{live: map[uint64]*record{}}
	for range n {
		s.join(&record{key: random.Uint64()})
		s.get()
	}
	return s
}

func (s *inevitable) join(r *record) {
	s.lock.Lock()
	s.live[r.key] = r
	s.pending = append(s.pending, r)
	s.lock.Unlock()
}

func (s *inevitable) get() *record {
	s.lock.Lock()
	last := len(s.pending) - 1
	r := s.pending[last]
	s.pending = s.pending[:last]
	s.lock.Unlock()
	return r
}

func (s *inevitable) ack() {
	s.lock.Lock()
	s.acked++
	s.lock.Unlock()
}

func (s *inevitable) leave(r *record) {
	s.lock.Lock()
	delete(s.live, r.key)
	s.lock.Unlock()
}

// member is an application on a simulated host, with an id that joins and leaves groups.
type member struct {
	b       *testing.B
	process spec.Process
	channel spec.Channel
	id      spec.ID
}

func newMember(b *testing.B) *member {
	b.Helper()
	lab, err := sim.NewLab(sim.Options{})
	must(b, err)
	backend, err := lab.Fresh(b.Context(), 1)
	must(b, err)
	m := &member{b: b}
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
		b.Helper()
		b.Fatal(err)
	}
}

// join joins a group, retrieves the event and acknowledges it.
func (m *member) join(group spec.Sockaddr, c spec.Context) {
	must(m.b, m.process.JoinMulticast(m.b.Context(), m.id, group, c))
	e, err := m.process.GetEvent(m.b.Context(), m.channel)
	must(m.b, err)
	if e.Type != spec.MulticastJoin || e.UD.PrivateData != c {
		m.b.Fatalf("the event is %+v", e)
	}
	must(m.b, m.process.AckEvent(m.b.Context(), e.Ref))
}

func (m *member) leave(group spec.Sockaddr) {
	must(m.b, m.process.LeaveMulticast(m.b.Context(), m.id, group))
}

// group is the i-th of 2^28 groups, in an order that looks random.
func group(i uint32) spec.Sockaddr {
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], 0xe0000000|(i*2654435761)>>4)
	return spec.NewSockaddr(netip.AddrFrom4(a), 0)
}

// round is how many cycles are timed at once.
const round = 100

// BenchmarkCycle is one cycle of join, get, acknowledge and leave with n memberships, beside the inevitable work with
// as many entries. The two take turns, so that a noisy machine is noisy to both.
func BenchmarkCycle(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 0))
			least := newInevitable(n, random)
			records := make([]record, round)
			empty := heap()
			m := newMember(b)
			for i := range n {
				m.join(group(uint32(i)), 0)
			}
			b.ReportMetric(float64(heap()-empty)/float64(n), "B/membership")
			groups := make([]spec.Sockaddr, 1<<16) // that nobody has joined yet, and memory that is there already
			for i := range groups {
				groups[i] = group(uint32(n + i))
			}
			next := 0
			var ratios, floors, cycles []float64
			b.ReportAllocs()
			for b.Loop() {
				for i := range round {
					records[i] = record{key: random.Uint64()}
				}
				start := time.Now()
				for i := range records {
					least.join(&records[i])
					r := least.get()
					least.ack()
					least.leave(r)
				}
				floor := time.Since(start)
				start = time.Now()
				for range round {
					m.join(groups[next], spec.Context(next))
					m.leave(groups[next])
					next = (next + 1) % len(groups)
				}
				cycle := time.Since(start)
				ratios = append(ratios, float64(cycle)/float64(floor))
				floors = append(floors, float64(floor)/round)
				cycles = append(cycles, float64(cycle)/round)
			}
			b.ReportMetric(median(ratios), "x-inevitable")
			b.ReportMetric(median(floors), "inevitable-ns/op")
			b.ReportMetric(median(cycles), "cycle-ns/op")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}
