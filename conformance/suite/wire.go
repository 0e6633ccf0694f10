package suite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"joinmcast/spec"
)

// wireFolder is where the captured wires of specs go, in the run's folder.
const wireFolder = "wire"

// keepWire writes the frames that crossed the spec's wire, when the run captures.
func (j *judged) keepWire() error {
	if !j.run.target.Capture {
		return nil
	}
	tap, ok := j.backend.(spec.Wiretap)
	if !ok {
		return fmt.Errorf("%s was opened to capture, and its worlds are no wiretaps", j.run.target.Name)
	}
	var wire bytes.Buffer
	if err := tap.WriteWire(&wire); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(j.run.dir, wireFolder, j.fileName()+".pcapng"), wire.Bytes(), 0o644)
}
