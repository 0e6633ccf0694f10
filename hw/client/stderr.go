package client

import (
	"io"
	"strings"
	"sync"
	"time"
)

// tailBytes is how much of an agent's standard error is kept.
const tailBytes = 2 << 10

// tail keeps the end of a stream.
type tail struct {
	stream stream
	ended  chan struct{}

	mu   sync.Mutex
	kept []byte
}

func newTail(s stream) *tail {
	t := &tail{stream: s, ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		_, _ = io.Copy(t, s)
	}()
	return t
}

// Write takes the stream's next bytes.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

// String is what has been kept so far, without space around it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}

// awaitEnd returns when the whole stream has come, which is soon once its writer has ended.
func (t *tail) awaitEnd() {
	select {
	case <-t.ended:
	case <-time.After(time.Second):
	}
}

func (t *tail) close() {
	_ = t.stream.Close()
	<-t.ended
}
