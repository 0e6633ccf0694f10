package main

import (
	"io"
	"os"
	"sync"
)

// tailMax is how much of an agent's standard error is kept for a reader that comes late, in bytes.
const tailMax = 64 << 10

// tail reads a pipe to its end, so that its writer never waits, and keeps the last bytes.
type tail struct {
	mu      sync.Mutex
	changed *sync.Cond
	kept    []byte
	total   int64 // bytes read so far
	done    bool
}

func newTail(r *os.File) *tail {
	t := &tail{}
	t.changed = sync.NewCond(&t.mu)
	go t.fill(r)
	return t
}

func (t *tail) fill(r *os.File) {
	buffer := make([]byte, 4<<10)
	for {
		n, err := r.Read(buffer)
		t.mu.Lock()
		t.kept = append(t.kept, buffer[:n]...)
		if over := len(t.kept) - tailMax; over > 0 {
			t.kept = append(t.kept[:0], t.kept[over:]...)
		}
		t.total += int64(n)
		t.done = err != nil
		t.changed.Broadcast()
		t.mu.Unlock()
		if err != nil {
			_ = r.Close()
			return
		}
	}
}

// copyTo writes what is kept and all that follows, until the pipe has ended or w refuses. A slow w loses the oldest.
func (t *tail) copyTo(w io.Writer) {
	var written int64
	for {
		t.mu.Lock()
		for t.total == written && !t.done {
			t.changed.Wait()
		}
		unread := min(t.total-written, int64(len(t.kept)))
		chunk := append([]byte(nil), t.kept[int64(len(t.kept))-unread:]...)
		written = t.total
		done := t.done
		t.mu.Unlock()
		if len(chunk) > 0 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
		if done {
			return
		}
	}
}
