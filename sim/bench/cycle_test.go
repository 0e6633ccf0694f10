package bench

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

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

type record struct{ key uint64 }

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
			m := newMember(b, "rxe")
			for i := range n {
				m.join(group(uint32(i)), 0)
			}
			grown := heap() - empty
			groups := make([]spec.Sockaddr, 1<<16) // that nobody has joined yet, and memory that is there already
			for i := range groups {
				groups[i] = group(uint32(n + i))
			}
			next := 0
			var floors, cycles []float64
			made := mallocs()
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
				floors = append(floors, float64(floor)/round)
				cycles = append(cycles, float64(cycle)/round)
			}
			b.ReportMetric(float64(grown)/float64(n), "B/membership")
			b.ReportMetric(float64(mallocs()-made)/float64(len(cycles)*round), "allocs/cycle")
			b.ReportMetric(quiet(cycles)/quiet(floors), "x-inevitable")
			b.ReportMetric(quiet(floors), "inevitable-ns")
			b.ReportMetric(quiet(cycles), "cycle-ns")
		})
	}
}
