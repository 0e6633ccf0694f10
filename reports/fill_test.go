package reports

import (
	"io"
	"os"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
)

// failingDisk fails in one of the steps.
type failingDisk struct{ write, chmod, sync error }

func (d failingDisk) Write(text []byte) (int, error) { return len(text), d.write }
func (d failingDisk) Chmod(os.FileMode) error        { return d.chmod }
func (d failingDisk) Sync() error                    { return d.sync }

func TestFillTellsOfTheStepThatFails(t *testing.T) {
	g := NewWithT(t)
	g.Expect(fill(failingDisk{}, nil)).To(Succeed())
	g.Expect(fill(failingDisk{write: syscall.ENOSPC}, nil)).To(MatchError(syscall.ENOSPC))
	g.Expect(fill(failingDisk{chmod: syscall.EPERM}, nil)).To(MatchError(syscall.EPERM))
	g.Expect(fill(failingDisk{sync: syscall.EIO}, nil)).To(MatchError(syscall.EIO))
}

func TestNotWrittenTellsThePathOnce(t *testing.T) {
	g := NewWithT(t)
	err := notWritten("out/report.json", &os.PathError{Op: "write", Path: "out/.report.json.1", Err: syscall.ENOSPC})
	g.Expect(err).To(MatchError("out/report.json was not written: no space left on device"))
	g.Expect(notWritten("x", io.ErrShortWrite)).To(MatchError(io.ErrShortWrite))
}
