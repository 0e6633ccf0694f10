package reports

import (
	"os"

	"golang.org/x/term"

	"joinmcast/spec/verdict"
)

// TerminalOptions fit a summary to where it is written: the terminal's width, and colour on a terminal unless NO_COLOR
// is set or TERM is dumb.
func TerminalOptions(f *os.File) SummaryOptions {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return SummaryOptions{}
	}
	o := SummaryOptions{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(fd); err == nil {
		o.Width = width
	}
	return o
}

// palette paints words, or leaves them as they are when it is false.
type palette bool

const (
	green  = "32"
	yellow = "33"
	red    = "31"
)

func (p palette) word(word, color string) string {
	if !p {
		return word
	}
	return "\x1b[" + color + "m" + word + "\x1b[0m"
}

func (p palette) verdict(v verdict.Verdict) string {
	switch {
	case v.Red():
		return p.word(string(v), red)
	case v == verdict.Pass:
		return p.word(string(v), green)
	}
	return p.word(string(v), yellow)
}

func (p palette) status(s verdict.Status) string {
	switch s {
	case verdict.Conformant:
		return p.word(string(s), green)
	case verdict.NonConformant, verdict.NotQualified:
		return p.word(string(s), red)
	}
	return p.word(string(s), yellow)
}
