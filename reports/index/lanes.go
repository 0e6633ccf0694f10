package index

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"joinmcast/spec/trace"
)

// callsShown is how many of a spec's last calls the page shows, and bytesShown how much of a call's arguments, and of
// its answer: a script has a step a group, and a spec as many scripts as a race takes to be won.
const (
	callsShown = 80
	bytesShown = 2000
)

// lanes is a time line: a row a call in the order they began, a lane a host. Rows and lanes are those of a grid, and
// count from 1; the first row names the hosts.
type lanes struct {
	Hosts []lane
	Calls []laneCall
	Total int      // calls, of which Calls are the last
	Below int      // the grid's last line
	Plain []string // rows that are no calls, such as those of another version of the suite
}

// lane is a host's.
type lane struct {
	Host string
	At   int
}

// laneCall is one call.
type laneCall struct {
	trace.Line
	Lane, Row int
	Below     int    // the grid's line below the last call that had begun when this one ended
	Depth     int    // how many other calls of its lane are open beside it
	Of        string // its process, where the lane has several
	Function  string
	Arguments string
	Result    string // of the answer: what was returned, with errno
	Fields    string // the rest of it
}

// Open tells whether the call has not returned.
func (c laneCall) Open() bool { return c.Answer == "" }

// Long tells whether other calls began before it ended.
func (c laneCall) Long() bool { return c.Below > c.Row+1 }

// lanesOf is the time line of a trace; nil when there is none.
func lanesOf(rows []string) *lanes {
	if len(rows) == 0 {
		return nil
	}
	l := &lanes{Total: len(rows)}
	processes := map[string][]string{} // by host
	for _, text := range rows[max(0, len(rows)-callsShown):] {
		line, ok := trace.ParseLine(text)
		if !ok {
			l.Plain = append(l.Plain, text)
			continue
		}
		host, process, _ := strings.Cut(line.Process, "/")
		if !slices.Contains(processes[host], process) {
			processes[host] = append(processes[host], process)
		}
		c := laneCall{Line: line, Of: process}
		c.Function, c.Arguments, _ = strings.Cut(strings.TrimSuffix(line.Call, ")"), "(")
		if c.Result = line.Answer; strings.HasPrefix(line.Answer, "0 ") {
			c.Result, c.Fields, _ = strings.Cut(line.Answer, " ")
		}
		c.Arguments, c.Fields = shortened(c.Arguments), shortened(c.Fields)
		l.Calls = append(l.Calls, c)
	}
	for i, host := range slices.Sorted(maps.Keys(processes)) {
		l.Hosts = append(l.Hosts, lane{host, i + 1})
	}
	l.place(processes)
	return l
}

// shortened is the text's beginning, where the page has no room for all of it, and how much is left out.
func shortened(text string) string {
	if len(text) <= bytesShown {
		return text
	}
	begins := strings.ToValidUTF8(text[:bytesShown], "") // a character may have been cut in two
	return fmt.Sprintf("%s … and %d more bytes", begins, len(text)-len(begins))
}

// place gives each call its lane, its row, and a place beside the calls it overlaps.
func (l *lanes) place(processes map[string][]string) {
	const firstRow = 2
	l.Below = firstRow + len(l.Calls)
	row := map[int]int{} // of the call that began as the n-th
	for i, c := range l.Calls {
		row[c.Begin] = firstRow + i
	}
	for i := range l.Calls {
		c := &l.Calls[i]
		host, _, _ := strings.Cut(c.Process, "/")
		c.Lane = 1 + slices.IndexFunc(l.Hosts, func(h lane) bool { return h.Host == host })
		c.Row = firstRow + i
		c.Below = max(row[c.End], c.Row) + 1
		if c.Open() {
			c.Below = l.Below
		}
		if len(processes[host]) == 1 {
			c.Of = ""
		}
		for _, other := range l.Calls[:i] {
			if other.Lane == c.Lane && other.Below > c.Row {
				c.Depth++
			}
		}
	}
}
