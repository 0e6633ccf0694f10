// Package bench judges the benchmarks of the simulated stack: which of their figures are within the bounds that the
// project has set itself. It reads what `go test -bench` prints, of any number of counts.
package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A figure is one unit of one benchmark: the median of its counts.
type figure struct{ name, unit string }

// bound is what a figure must keep to.
type bound struct {
	what     string
	figure   figure
	over     figure // if set, it is the ratio of the two that is meant
	min, max float64
	format   string // of a value, with its unit
}

// The benchmarks, as go test names them without the number of processors.
const (
	cycle1K  = "Cycle/n=1000"
	cycle1M  = "Cycle/n=1000000"
	datagram = "Datagram/QPs=10000"
	hosts    = "Hosts"
)

// bounds are the figures of the table, in its order. What they mean is said in README.
var bounds = []bound{
	{
		what:   "the inevitable work of a cycle, 1,000 memberships live",
		figure: figure{cycle1K, "inevitable-ns"}, min: 30, max: 200, format: "%.0f ns",
	},
	{
		what:   "a cycle, in inevitable work, 1,000 live",
		figure: figure{cycle1K, "x-inevitable"}, max: 8, format: "%.1f",
	},
	{
		what:   "the same, 1,000,000 live",
		figure: figure{cycle1M, "x-inevitable"}, max: 8, format: "%.1f",
	},
	{
		what:   "the latter by the former",
		figure: figure{cycle1M, "x-inevitable"}, over: figure{cycle1K, "x-inevitable"}, max: 1.3, format: "%.2f",
	},
	{
		what:   "allocations of a cycle, 1,000 live",
		figure: figure{cycle1K, "allocs/cycle"}, max: 8, format: "%.2f",
	},
	{
		what:   "memory of a membership, 1,000,000 live",
		figure: figure{cycle1M, "B/membership"}, max: 512, format: "%.0f bytes",
	},
	{
		what:   "a datagram to 10,000 attached QPs, in copies of it with their completions",
		figure: figure{datagram, "x-inevitable"}, max: 2, format: "%.2f",
	},
	{
		what:   "a datagram to a member on each of 1,000 hosts, by host, in that of 100",
		figure: figure{hosts, "x-linear"}, max: 1.5, format: "%.2f",
	},
}

// A Row is a bound and what was measured.
type Row struct {
	What, Bound, Measured string
	OK                    bool
}

// Judge reads the output of go test -bench and gives a row for each bound. A figure that is missing is an error.
func Judge(output io.Reader, name string) ([]Row, error) {
	values, err := read(output, name)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, b := range bounds {
		value, err := b.value(values)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf(b.format, b.max)
		if b.min > 0 {
			text = fmt.Sprintf("%g to %s", b.min, text)
		} else {
			text = "at most " + text
		}
		rows = append(rows, Row{b.what, text, fmt.Sprintf(b.format, value), b.min <= value && value <= b.max})
	}
	return rows, nil
}

func read(output io.Reader, name string) (map[figure][]float64, error) {
	values := map[figure][]float64{}
	reader := benchfmt.NewReader(output, name)
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, r
		case *benchfmt.Result:
			full, _, _ := strings.Cut(r.Name.String(), "-")
			for _, v := range r.Values {
				if v.OrigUnit != "" { // the reader makes seconds of nanoseconds
					v.Unit, v.Value = v.OrigUnit, v.OrigValue
				}
				f := figure{full, v.Unit}
				values[f] = append(values[f], v.Value)
			}
		}
	}
	return values, reader.Err()
}

func (b bound) value(values map[figure][]float64) (float64, error) {
	value, err := median(values, b.figure)
	if err != nil || b.over == (figure{}) {
		return value, err
	}
	over, err := median(values, b.over)
	return value / over, err
}

func median(values map[figure][]float64, f figure) (float64, error) {
	all := slices.Sorted(slices.Values(values[f]))
	if len(all) == 0 {
		return 0, fmt.Errorf("there is no %s of benchmark %s; the output of make bench has one", f.unit, f.name)
	}
	return all[len(all)/2], nil
}

// Markdown is the table of README.
func Markdown(rows []Row) string {
	var t strings.Builder
	t.WriteString("| | bound | measured | |\n|---|---|---|---|\n")
	for _, r := range rows {
		judged := "ok"
		if !r.OK {
			judged = "over"
		}
		fmt.Fprintf(&t, "| %s | %s | %s | %s |\n", r.What, r.Bound, r.Measured, judged)
	}
	return t.String()
}

// AllOK tells whether every bound is kept.
func AllOK(rows []Row) bool { return !slices.ContainsFunc(rows, func(r Row) bool { return !r.OK }) }
