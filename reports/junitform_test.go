package reports_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
)

// element is a rule of the form of JUnit that CI servers read: Maven Surefire's, as Jenkins and GitLab take it.
type element struct {
	children   []string                  // in this order
	attributes map[string]*regexp.Regexp // all that there may be
	optional   []string                  // of them
}

var (
	anything = regexp.MustCompile(`(?s)^.*$`)
	named    = regexp.MustCompile(`(?s)^.+$`)
	counted  = regexp.MustCompile(`^\d+$`)
	timed    = regexp.MustCompile(`^\d+\.\d{3}$`)
	told     = element{
		attributes: map[string]*regexp.Regexp{"message": anything, "type": named}, optional: []string{"type"},
	}
)

var junitForm = map[string]element{
	"testsuites": {children: []string{"testsuite"}},
	"testsuite": {
		children: []string{"properties", "testcase"},
		attributes: map[string]*regexp.Regexp{
			"name": named, "tests": counted, "failures": counted, "errors": counted, "skipped": counted, "time": timed,
		},
	},
	"properties": {children: []string{"property"}},
	"property":   {attributes: map[string]*regexp.Regexp{"name": named, "value": anything}},
	"testcase": {
		children:   []string{"properties", "failure", "error", "skipped"},
		attributes: map[string]*regexp.Regexp{"classname": named, "name": named, "time": timed},
	},
	"failure": told, "error": told, "skipped": told,
}

// check is the first thing in which a start of an element breaks its rule.
func (e element) check(start xml.StartElement) error {
	seen := map[string]bool{}
	for _, a := range start.Attr {
		form := e.attributes[a.Name.Local]
		if form == nil || !form.MatchString(a.Value) || seen[a.Name.Local] {
			return fmt.Errorf("%s has %s=%q", start.Name.Local, a.Name.Local, a.Value)
		}
		seen[a.Name.Local] = true
	}
	for name := range e.attributes {
		if !seen[name] && !slices.Contains(e.optional, name) {
			return fmt.Errorf("%s has no %s", start.Name.Local, name)
		}
	}
	return nil
}

// validJUnit tells in what a text breaks the form, nil when in nothing.
func validJUnit(text []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	var open []string
	var last []int // by depth: the place of the last child among those that may be
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			name, allowed := token.Name.Local, []string{"testsuites"}
			if len(open) > 0 {
				allowed = junitForm[open[len(open)-1]].children
			} else {
				last = []int{0}
			}
			place := slices.Index(allowed, name)
			if place < last[len(last)-1] {
				return fmt.Errorf("%s in %v, want one of %v in this order", name, open, allowed)
			}
			last[len(last)-1] = place
			if err := junitForm[name].check(token); err != nil {
				return err
			}
			open, last = append(open, name), append(last, 0)
		case xml.EndElement:
			open, last = open[:len(open)-1], last[:len(last)-1]
		case xml.CharData:
			within := ""
			if len(open) > 0 {
				within = open[len(open)-1]
			}
			if text := bytes.TrimSpace(token); len(text) > 0 && within != "failure" && within != "error" {
				return fmt.Errorf("%v has the text %q", open, text)
			}
		}
	}
}

func TestJUnitHasTheFormThatIsRead(t *testing.T) {
	overRandom(t, func(g Gomega, run reports.Run, results []reports.SpecResult, dir string) {
		g.Expect(validJUnit(junitText(g, reports.Build(run, results), dir))).To(Succeed())
	})
}

func TestTheFormRefuses(t *testing.T) {
	text := string(junitText(NewWithT(t), reports.Build(liveRun(), with(green(), failed())), t.TempDir()))
	for old, c := range map[string]struct{ new, want string }{
		`tests="5"`:           {`tests="five"`, `testsuite has tests="five"`},
		`<failure message=`:   {`<failure text=`, `failure has text=`},
		`failures="1" `:       {``, `testsuite has no failures`},
		`<testsuites>`:        {`<testsuites><testcase/>`, `testcase in [testsuites], want one of [testsuite]`},
		`<testcase classname`: {`oops <testcase classname`, `[testsuites testsuite] has the text "oops"`},
		`</failure>`:          {`</failure><properties/>`, `properties in [testsuites testsuite testcase]`},
	} {
		g := NewWithT(t)
		g.Expect(text).To(ContainSubstring(old))
		err := validJUnit([]byte(regexp.MustCompile(regexp.QuoteMeta(old)).ReplaceAllLiteralString(text, c.new)))
		g.Expect(err).To(MatchError(ContainSubstring(c.want)), old)
	}
}
