package survivors_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"

	"joinmcast/reports/survivors"
)

var module = fstest.MapFS{"spec/x.go": {Data: []byte("package x\n\n\tif a >= 0 && b != 'x' {\n")}}

// gremlins is a file of it, about one mutant of each of these statuses.
func gremlins(mutations ...string) []byte {
	all := strings.Join(mutations, ",")
	return fmt.Appendf(nil, `{"go_module":"x","files":[{"file_name":"x.go","mutations":[%s]}]}`, all)
}

func mutation(status string, line, column int) string {
	return fmt.Sprintf(`{"type":"CONDITIONALS_BOUNDARY","status":"%s","line":%d,"column":%d}`, status, line, column)
}

var boundary = survivors.Mutant{
	File: "spec/x.go", Kind: "CONDITIONALS_BOUNDARY", Code: "if a »>= 0 && b != 'x' {",
}

func TestASurvivorIsKnownByItsLineAndPlace(t *testing.T) {
	g := NewWithT(t)
	text := gremlins(mutation("KILLED", 3, 5), mutation("LIVED", 3, 7), mutation("TIMED OUT", 3, 2))
	o, err := survivors.Read(module, "spec", "out.json", text)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o).To(Equal(survivors.Outcome{Mutants: 3, Survived: []survivors.Mutant{boundary}}))
}

func TestWhatGremlinsDidNotTryCanBeTried(t *testing.T) {
	g := NewWithT(t)
	o, err := survivors.Read(module, "spec", "out.json", gremlins(mutation("NOT COVERED", 3, 7)))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Survived).To(BeEmpty())
	g.Expect(o.Untried).To(HaveLen(1))
	g.Expect(o.Untried[0].Mutant).To(Equal(boundary))
	changed, err := o.Untried[0].Apply(module["spec/x.go"].Data)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(changed)).To(Equal("package x\n\n\tif a > 0 && b != 'x' {\n"))
}

func TestAChangeThatIsNotKnownIsRefused(t *testing.T) {
	u := survivors.Untried{Mutant: boundary, Offset: len("package")}
	_, err := u.Apply([]byte("package x"))
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("spec/x.go: CONDITIONALS_BOUNDARY is no change that is known")))
}

func TestWhatGremlinsDoesNotWriteIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"[]": "out.json is not what gremlins writes",
		"{}": "out.json has no mutant",
		string(gremlins(mutation("ASLEEP", 3, 7))): "a mutant of spec/x.go:3 is ASLEEP",
		string(gremlins(mutation("LIVED", 9, 1))):  "spec/x.go has no place 9:1",
		string(gremlins(mutation("LIVED", 3, 99))): "spec/x.go has no place 3:99",
	} {
		_, err := survivors.Read(module, "spec", "out.json", []byte(text))
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)), text)
	}
	_, err := survivors.Read(module, "sim", "out.json", gremlins(mutation("LIVED", 3, 7)))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("sim/x.go")))
}

func TestASurvivorIsPrintedAsTheEntryThatExplainsIt(t *testing.T) {
	g := NewWithT(t)
	explained, err := survivors.ParseExplanations("explained.yaml", []byte(boundary.String()+" nobody can tell\n"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(explained).To(Equal([]survivors.Explanation{{Mutant: boundary, Why: "nobody can tell"}}))
}

func TestAnExplanationLacksNothing(t *testing.T) {
	for text, want := range map[string]string{
		boundary.String():                           "explained.yaml: survivor 1 lacks file, kind, code with a », or why",
		"- {file: f, kind: k, code: x, why: y}":     "survivor 1 lacks",
		"- {file: f, kind: k, code: », because: y}": "explained.yaml:1: field because not found",
	} {
		_, err := survivors.ParseExplanations("explained.yaml", []byte(text))
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)), text)
	}
}

func TestBothAnUnexplainedSurvivorAndAStaleExplanationAreTold(t *testing.T) {
	g := NewWithT(t)
	other := boundary
	other.Kind = "CONDITIONALS_NEGATION"
	unexplained, stale := survivors.Judge([]survivors.Mutant{boundary}, []survivors.Explanation{{Mutant: other, Why: "w"}})
	g.Expect(unexplained).To(Equal([]survivors.Mutant{boundary}))
	g.Expect(stale).To(Equal([]survivors.Explanation{{Mutant: other, Why: "w"}}))
	explained := []survivors.Explanation{{Mutant: boundary, Why: "w"}}
	unexplained, stale = survivors.Judge([]survivors.Mutant{boundary}, explained)
	g.Expect(unexplained).To(BeEmpty())
	g.Expect(stale).To(BeEmpty())
}

func TestAnExplanationOfAPackageThatWasNotTriedIsNotStale(t *testing.T) {
	g := NewWithT(t)
	tried := survivors.Explanation{Mutant: survivors.Mutant{File: "spec/verdict/judge.go"}}
	other := survivors.Explanation{Mutant: survivors.Mutant{File: "spec/verdict/deeper/judge.go"}}
	g.Expect(survivors.Of([]survivors.Explanation{other, tried}, []string{"spec/verdict"})).To(ConsistOf(tried))
}
