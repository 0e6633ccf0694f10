package suite

import (
	"fmt"
	"io"
	"os"

	"github.com/onsi/ginkgo/v2"
	"golang.org/x/term"

	"joinmcast/reports"
)

// progress shows a long run: the spec under way on a terminal, a plain line now and then elsewhere. A nil progress
// shows nothing.
type progress struct {
	out      io.Writer
	terminal bool
	total    int
	finished int
}

// plainEvery is how many specs pass between two plain lines.
const plainEvery = 10

// newProgress is nil for a run that is over before anybody looks.
func newProgress(f *os.File, long bool, total int) *progress {
	if !long {
		return nil
	}
	return &progress{out: f, total: total, terminal: term.IsTerminal(int(f.Fd()))}
}

// step shows a step of the opening.
func (p *progress) step(line string) {
	if p != nil {
		p.println(line)
	}
}

func (p *progress) begins(report ginkgo.SpecReport, id string) {
	if p == nil || !p.terminal {
		return
	}
	_, _ = fmt.Fprintf(p.out, "%s[%d/%d] %s %s", erase, p.finished+1, p.total, id, report.LeafNodeText)
}

func (p *progress) ends(s reports.SpecResult) {
	if p == nil {
		return
	}
	p.finished++
	switch {
	case p.terminal:
		_, _ = fmt.Fprint(p.out, erase)
	case p.finished%plainEvery == 0:
		p.println(fmt.Sprintf("%d of %d specs done, last %s %s in %.1f s", p.finished, p.total, s.ID, s.Verdict, s.Seconds))
	}
}

// erase takes back the line the cursor is in.
const erase = "\r\x1b[K"

func (p *progress) println(line string) {
	if p.terminal {
		line = erase + line
	}
	_, _ = fmt.Fprintln(p.out, line)
}

// done leaves the cursor at the beginning of a line.
func (p *progress) done() {
	if p != nil {
		_, _ = fmt.Fprintln(p.out)
	}
}
