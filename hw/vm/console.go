package vm

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// consoleMax is how much of a guest's console is kept, in bytes.
const consoleMax = 32 << 10

// console keeps the end of what a guest prints on its serial line.
type console struct {
	mu   sync.Mutex
	kept []byte
}

// Write keeps p; it never fails.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = append(c.kept, p...)
	if over := len(c.kept) - consoleMax; over > 0 {
		c.kept = append(c.kept[:0], c.kept[over:]...)
	}
	return len(p), nil
}

// escapes are what firmware and kernels print for a terminal's sake.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?=]*[A-Za-z]|\x1bc|\r`)

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.TrimSpace(escapes.ReplaceAllString(string(c.kept), ""))
}

// lastLinesMax is how many lines of a console an error's text carries.
const lastLinesMax = 15

// lastLines are a console's last lines; of a panic, its report's first and what was said just before it: that is the
// reason when init gives up.
func lastLines(text string) string {
	const before = 2
	list := strings.Split(text, "\n")
	for _, mark := range []string{"BUG:", "Oops", "Kernel panic"} {
		i := slices.IndexFunc(list, func(line string) bool { return strings.Contains(line, mark) })
		if i >= 0 {
			list = list[max(0, i-before):]
			return strings.Join(list[:min(len(list), lastLinesMax)], "\n")
		}
	}
	return strings.Join(list[max(0, len(list)-lastLinesMax):], "\n")
}
