package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/creachadair/jrpc2/channel"

	"joinmcast/hw/wire"
)

// answers is the channel to an agent. It ends at the first line that is longer than wire.MaxLine, and at the first
// message that answers no open request: of an agent that answers twice, neither answer can be believed.
type answers struct {
	channel.Channel
	lines *lineLimit

	mu   sync.Mutex
	open map[string]bool // ids of requests without an answer, also of those whose caller has gone
}

func newAnswers(s io.ReadWriteCloser) *answers {
	lines := &lineLimit{Reader: s}
	return &answers{Channel: channel.Line(lines, s), lines: lines, open: map[string]bool{}}
}

// numbered is the part of a message that says which request it is, or answers.
type numbered struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// Send sends a request.
func (a *answers) Send(message []byte) error {
	var request numbered
	if err := json.Unmarshal(message, &request); err != nil {
		return err
	}
	a.mu.Lock()
	a.open[string(request.ID)] = true
	a.mu.Unlock()
	return a.Channel.Send(message)
}

// Recv receives an answer.
func (a *answers) Recv() ([]byte, error) {
	message, err := a.Channel.Recv()
	if err != nil {
		return message, err
	}
	var answer numbered
	if err := json.Unmarshal(message, &answer); err != nil {
		return nil, fmt.Errorf("%w: %.60q", err, message)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if answer.Method != "" || !a.open[string(answer.ID)] {
		return nil, fmt.Errorf("nobody waits for %.120q", message)
	}
	delete(a.open, string(answer.ID))
	return message, nil
}

// errHalf is the fault of an agent that stopped in the middle of a message.
var errHalf = errors.New("the end of a message is missing")

// isHalf tells whether a message has begun to come and not ended.
func (a *answers) isHalf() bool { return a.lines.length.Load() > 0 }

// lineLimit ends a stream of lines at the first one that is longer than wire.MaxLine.
type lineLimit struct {
	io.Reader
	length atomic.Int64 // of the line that has not ended
}

func (l *lineLimit) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	length := l.length.Load()
	for _, c := range b[:n] {
		length++
		if c == '\n' {
			length = 0
		}
		if length > wire.MaxLine {
			return 0, fmt.Errorf("a line is longer than %d bytes", wire.MaxLine)
		}
	}
	l.length.Store(length)
	return n, err
}
