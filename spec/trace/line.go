package trace

import (
	"regexp"
	"strconv"
)

// Line is what a Row's String tells: a report keeps rows as text alone.
type Line struct {
	Begin, End int    // as in Row
	Process    string // as in "host0/1"
	Call       string // with its arguments
	Answer     string // as in "0 id=1", or "-1, errno EINVAL (22)"; empty while the call is open
}

var lineForm = regexp.MustCompile(
	`(?s)^ *(\d+)  (\S+)  (\S+?\(.*?\))(?: -> (.*?)(?:  \[until (\d+)\])?| has not returned)$`)

// ParseLine reads a line that Row.String wrote. Any other is not ok.
func ParseLine(text string) (line Line, ok bool) {
	m := lineForm.FindStringSubmatch(text)
	if m == nil {
		return Line{}, false
	}
	line = Line{Process: m[2], Call: m[3], Answer: m[4]}
	var err error
	if line.Begin, err = strconv.Atoi(m[1]); err != nil || line.Begin < 1 {
		return Line{}, false
	}
	switch {
	case m[5] != "":
		if line.End, err = strconv.Atoi(m[5]); err != nil || line.End <= line.Begin {
			return Line{}, false
		}
	case line.Answer != "":
		line.End = line.Begin
	}
	return line, true
}
