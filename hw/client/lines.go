package client

import (
	"fmt"
	"io"

	"joinmcast/hw/wire"
)

// lineLimit ends a stream of lines at the first one that is longer than wire.MaxLine.
type lineLimit struct {
	io.Reader
	length int
}

func (l *lineLimit) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	for _, c := range b[:n] {
		l.length++
		if c == '\n' {
			l.length = 0
		}
		if l.length > wire.MaxLine {
			return 0, fmt.Errorf("a line is longer than %d bytes", wire.MaxLine)
		}
	}
	return n, err
}
