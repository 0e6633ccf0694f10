package reports_test

import (
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"joinmcast/reports"
)

// terminal is the program's side of a new pseudo-terminal, 100 columns wide.
func terminal(t *testing.T) *os.File {
	t.Helper()
	g := NewWithT(t)
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	g.Expect(unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)).To(Succeed())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	g.Expect(err).NotTo(HaveOccurred())
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = slave.Close() })
	g.Expect(unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100})).To(Succeed())
	return slave
}

func TestATerminalGetsColourUnlessToldOtherwise(t *testing.T) {
	tty := terminal(t)
	for _, c := range []struct {
		noColor, term string
		want          bool
	}{
		{"", "xterm", true},
		{"1", "xterm", false},
		{"", "dumb", false},
	} {
		t.Run("NO_COLOR="+c.noColor+" TERM="+c.term, func(t *testing.T) {
			g := NewWithT(t)
			t.Setenv("NO_COLOR", c.noColor)
			t.Setenv("TERM", c.term)
			g.Expect(reports.TerminalOptions(tty)).To(Equal(reports.SummaryOptions{Width: 100, Color: c.want}))
		})
	}
}
