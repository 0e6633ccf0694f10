package spec

import "io"

// A Wiretap is a backend that was opened to capture: it keeps every frame that its hosts' wire takes.
type Wiretap interface {
	// WriteWire writes the frames until now as pcapng: whole link-layer frames, in the order the wire took them.
	WriteWire(w io.Writer) error
}
