package kernel

import (
	"encoding/binary"
	"iter"
	"maps"

	"joinmcast/sim/fabric"
)

// counted is a set of things with users.
type counted[K comparable] map[K]uint32

// has tells whether k has a user.
func (c counted[K]) has(k K) bool { return c[k] > 0 }

// add counts a user and tells whether it is the first.
func (c counted[K]) add(k K) bool {
	users := c[k] + 1
	c[k] = users
	return users == 1
}

// remove takes a user off and tells whether it was the last.
func (c counted[K]) remove(k K) bool {
	switch users := c[k]; users {
	case 0:
		return false
	case 1:
		delete(c, k)
		return true
	default:
		c[k] = users - 1
		return false
	}
}

// all goes through the things and their users.
func (c counted[K]) all() iter.Seq2[K, uint32] { return maps.All(c) }

// macCounted are counted link-layer addresses, kept by the numbers that their bytes are, by which a map finds them
// faster.
type macCounted struct{ counted[uint64] }

func (c macCounted) has(m fabric.MAC) bool     { return c.counted.has(macNumber(m)) }
func (c macCounted) add(m fabric.MAC) bool     { return c.counted.add(macNumber(m)) }
func (c macCounted) remove(m fabric.MAC)       { c.counted.remove(macNumber(m)) }
func (c macCounted) users(m fabric.MAC) uint32 { return c.counted[macNumber(m)] }

func (c macCounted) all() iter.Seq2[fabric.MAC, uint32] {
	return func(yield func(fabric.MAC, uint32) bool) {
		for number, users := range c.counted {
			var b [8]byte
			binary.BigEndian.PutUint64(b[:], number)
			if !yield(fabric.MAC(b[2:]), users) {
				return
			}
		}
	}
}

func macNumber(m fabric.MAC) uint64 {
	return uint64(binary.BigEndian.Uint16(m[:]))<<32 | uint64(binary.BigEndian.Uint32(m[2:]))
}
