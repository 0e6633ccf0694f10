package vm

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestAConsoleKeepsItsEndWithoutATerminalsEscapes(t *testing.T) {
	must := NewWithT(t)
	var c console
	_, _ = c.Write([]byte(strings.Repeat("x", consoleMax)))
	_, _ = c.Write([]byte("\x1bc\x1b[?7l\x1b[2Jthe end\r\n"))
	must.Expect(c.text()).To(HaveSuffix("xthe end"))
	must.Expect(len(c.text())).To(BeNumerically("<=", consoleMax))
}

func TestAPanicsReportIsWhatAnErrorQuotes(t *testing.T) {
	text := strings.Repeat("before\n", 50) + "Kernel panic - not syncing: x\n" + strings.Repeat("trace\n", 50)
	NewWithT(t).Expect(lastLines(text)).To(HavePrefix("before\nbefore\nKernel panic - not syncing: x\ntrace\n"))
}
