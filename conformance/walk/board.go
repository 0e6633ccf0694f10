package walk

import (
	"slices"

	"joinmcast/spec"
)

// board is what is known of the objects of a walk from the answers of its steps: enough to tell which calls are
// defined, and which events have not been read.
type board struct {
	channels map[string]*channel
	ids      map[string]*id
	qps      map[string]*qp
	events   map[string]*event
	ways     map[string]*ah // by the symbol of their handle
	files    map[string]*file
	changes  map[string]bool // not yet undone
	procs    map[string]*proc

	unplugged bool // the device of host 0 is gone
}

func newBoard() *board {
	return &board{
		channels: map[string]*channel{}, ids: map[string]*id{}, qps: map[string]*qp{}, events: map[string]*event{},
		ways: map[string]*ah{}, files: map[string]*file{}, changes: map[string]bool{}, procs: map[string]*proc{},
	}
}

// proc is a process.
type proc struct {
	changed bool // its credentials: open channels answer EACCES
	started bool // its library has made a channel or an id
	failing int  // calls of fail_next that may not have had their effect
	ended   bool
}

// channel is an event channel.
type channel struct {
	by       string
	blocking bool
	off      bool       // its descriptor is replaced
	polled   bool       // a poll is open
	unread   []*pending // oldest first, as far as the answers tell
	unproved bool       // whether the newest of them has come is not known
	poisoned bool       // an unread event is of a membership that the library has freed
	gone     bool
}

// pending is an event that was not read.
type pending struct {
	id   string
	join *membership // nil: of a resolution
}

// membership is a join that has not been left.
type membership struct {
	addr     string
	context  string
	sendOnly bool
	event    string // of the read event; empty: unread
}

// id is an rdma_cm_id.
type id struct {
	by        string
	channel   string // empty: synchronous
	verbs     bool
	qp        string // symbol of the QP it has now
	dangling  bool   // its QP was destroyed behind its back
	joins     []*membership
	busy      bool // a call on it is open
	resolving bool // an event that has not been proved will change it
	poisoned  bool // its own channel holds an event of a freed membership
	ep        bool
	ud        bool
	listening bool
	gone      bool
}

// qp is a queue pair.
type qp struct {
	by      string
	id      string // empty: lost to its id
	ud      bool
	posted  int // buffers
	sending int // datagrams whose completion was not taken
	waits   [2]bool
	gone    bool
}

// event is one that was read.
type event struct {
	by      string
	id      string
	context string
	way     bool // its address handle attributes are those of a group
	dead    bool // acknowledged, or of a membership that the library has freed
}

// ah is an address handle.
type ah struct {
	by   string
	gone bool
}

// file is a raw file of the rdma_cm device.
type file struct{ by string }

// live lists the symbols whose object holds, sorted.
func live[T any](objects map[string]T, holds func(T) bool) []string {
	var names []string
	for name, o := range objects {
		if holds(o) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, byAge)
	return names
}

// byAge orders symbols of one kind by their number.
func byAge(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// undoable are the changes that are not yet undone, the newest first: it may stand on others.
func (b *board) undoable() []string {
	changes := live(b.changes, func(there bool) bool { return there })
	slices.Reverse(changes)
	return changes
}

// idsOn are the living ids of a channel.
func (b *board) idsOn(ch string) []*id {
	var on []*id
	for _, name := range live(b.ids, func(i *id) bool { return !i.gone && i.channel == ch }) {
		on = append(on, b.ids[name])
	}
	return on
}

// expect adds an event that a call has begun.
func (b *board) expect(ch string, p *pending) {
	if c := b.channels[ch]; c != nil {
		c.unread = append(c.unread, p)
		c.unproved = true
	}
}

// forget drops the unread events that match.
func (c *channel) forget(match func(*pending) bool) {
	c.unread = slices.DeleteFunc(c.unread, match)
	if len(c.unread) == 0 {
		c.unproved = false
	}
}

// took accounts for an event that was read.
func (b *board) took(ch, symbol string, e spec.Event, idSymbol string) {
	c, i := b.channels[ch], b.ids[idSymbol]
	multicast := e.Type == spec.MulticastJoin || e.Type == spec.MulticastError
	for k, p := range c.unread {
		if p.id != idSymbol || (p.join != nil) != multicast {
			continue
		}
		if p.join != nil {
			p.join.event = symbol
		} else if i != nil {
			i.resolving = false
		}
		c.unread = slices.Delete(c.unread, k, k+1)
		break
	}
	if len(c.unread) == 0 {
		c.unproved = false
	}
	b.events[symbol] = &event{
		id: idSymbol, context: e.UD.PrivateData.String(), way: isWay(e),
	}
	if i != nil {
		b.events[symbol].by = i.by
	}
}

// joined is the newest membership of an address, as leave finds it.
func (i *id) joined(addr string) *membership {
	for _, m := range slices.Backward(i.joins) {
		if m.addr == addr {
			return m
		}
	}
	return nil
}
