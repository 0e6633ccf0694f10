package vm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// qmp speaks QEMU's machine protocol, one command at a time.
type qmp struct {
	conn io.ReadWriteCloser

	commands sync.Mutex // one command at a time
	replies  chan qmpMessage

	mu     sync.Mutex
	events []qmpMessage
	more   chan struct{} // closed and replaced when an event arrives
	ended  chan struct{} // closed when the connection has ended
}

// qmpMessage is any of a greeting, a reply and an event.
type qmpMessage struct {
	Return json.RawMessage `json:"return"`
	Error  *struct {
		Desc string `json:"desc"`
	} `json:"error"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

var errQMPEnded = errors.New("QEMU ended")

// newQMP begins a session on a new connection.
func newQMP(ctx context.Context, conn io.ReadWriteCloser) (*qmp, error) {
	q := &qmp{conn: conn, replies: make(chan qmpMessage, 1), more: make(chan struct{}), ended: make(chan struct{})}
	go q.read()
	return q, q.execute(ctx, "qmp_capabilities", nil)
}

func (q *qmp) read() {
	defer close(q.ended)
	in := json.NewDecoder(bufio.NewReader(q.conn))
	for {
		var m qmpMessage
		if in.Decode(&m) != nil {
			return
		}
		switch {
		case m.Event != "":
			q.mu.Lock()
			q.events = append(q.events, m)
			close(q.more)
			q.more = make(chan struct{})
			q.mu.Unlock()
		case m.Return != nil || m.Error != nil:
			q.replies <- m
		}
	}
}

// execute runs a command to its reply.
func (q *qmp) execute(ctx context.Context, command string, arguments map[string]any) error {
	q.commands.Lock()
	defer q.commands.Unlock()
	request := map[string]any{"execute": command}
	if arguments != nil {
		request["arguments"] = arguments
	}
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := q.conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%s: %w", command, errQMPEnded)
	}
	select {
	case m := <-q.replies:
		if m.Error != nil {
			return fmt.Errorf("QEMU refused %s: %s", command, m.Error.Desc)
		}
		return nil
	case <-q.ended:
		return fmt.Errorf("%s: %w", command, errQMPEnded)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", command, ctx.Err())
	}
}

// await returns the first event, of those so far or to come, that wanted says true to; an error of wanted ends it.
func (q *qmp) await(ctx context.Context, wanted func(name string, data json.RawMessage) (bool, error)) error {
	for seen := 0; ; {
		q.mu.Lock()
		events, more := q.events[seen:], q.more
		q.mu.Unlock()
		for _, e := range events {
			if ok, err := wanted(e.Event, e.Data); ok || err != nil {
				return err
			}
		}
		seen += len(events)
		select {
		case <-more:
		case <-q.ended:
			return errQMPEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// portOpened waits until the guest has opened its control port.
func (q *qmp) portOpened(ctx context.Context) error {
	return q.await(ctx, func(name string, data json.RawMessage) (bool, error) {
		var d struct {
			ID   string `json:"id"`
			Open bool   `json:"open"`
		}
		if name != "VSERPORT_CHANGE" {
			return false, nil
		}
		err := json.Unmarshal(data, &d)
		return d.Open && d.ID == controlID, err
	})
}

// migrate saves the guest's state, or restores one, to or from where the argument says, and waits for its end. The
// memory is not part of that: it lies in a file.
func (q *qmp) migrate(ctx context.Context, command, uri string) error {
	for _, step := range []struct {
		command   string
		arguments map[string]any
	}{
		{"migrate-set-capabilities", map[string]any{
			"capabilities": []any{
				map[string]any{"capability": "events", "state": true},
				map[string]any{"capability": "x-ignore-shared", "state": true},
			},
		}},
		{"migrate-set-parameters", map[string]any{"max-bandwidth": int64(1) << 40}},
		{command, map[string]any{"uri": uri}},
	} {
		if err := q.execute(ctx, step.command, step.arguments); err != nil {
			return err
		}
	}
	return q.await(ctx, func(name string, data json.RawMessage) (bool, error) {
		var d struct {
			Status string `json:"status"`
		}
		if name != "MIGRATION" {
			return false, nil
		}
		if err := json.Unmarshal(data, &d); err != nil {
			return false, err
		}
		if d.Status == "failed" {
			return false, fmt.Errorf("%s %s failed", command, uri)
		}
		return d.Status == "completed", nil
	})
}
