package reports_test

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// written is report.json as it lies on the disk.
func written(t *testing.T, r *reports.Report) []byte {
	t.Helper()
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(r.WriteJSON(dir)).To(Succeed())
	text, err := os.ReadFile(filepath.Join(dir, reports.JSONFile))
	g.Expect(err).NotTo(HaveOccurred())
	return text
}

func TestTheJSONIsAsItWasPromised(t *testing.T) {
	golden(t, "report.json", string(written(t, reports.Build(liveRun(), with(green(), failed())))))
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	r := reports.Build(liveRun(), with(green(), failed()))
	g.Expect(r.WriteJSON(dir)).To(Succeed())
	g.Expect(reports.Read(filepath.Join(dir, reports.JSONFile))).To(Equal(r))
}

func TestTheSchemaRefuses(t *testing.T) {
	text := string(written(t, reports.Build(liveRun(), with(green(), failed()))))
	for name, c := range map[string]struct{ old, new, want string }{
		"an unknown field":       {`"seed": 1,`, `"seed": 1, "seeds": 2,`, "at /, additional properties 'seeds' not allowed"},
		"an unknown verdict":     {`"verdict": "FAIL"`, `"verdict": "FAILED"`, "/verdict, value must be one of 'CRASH'"},
		"an unknown status":      {`"NON-CONFORMANT"`, `"OK"`, "/summary/status, value must be one of"},
		"another schema":         {`"joinmcast-report/1"`, `"joinmcast-report/0"`, "at /schema, value must be"},
		"a missing field":        {`"seed": 1,`, ``, "missing property 'seed'"},
		"an id of another form":  {`"id": "JM-EVT-01"`, `"id": "EVT-1"`, "at /requirements/0/id,"},
		"a reason without cause": {`"NON-CONFORMANT"`, `"NON-CONFORMANT", "reason": "x"`, "at /summary,"},
		"text that is not JSON":  {`{`, ``, "not a report, for it is not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(text).To(ContainSubstring(c.old))
			g.Expect(reports.Validate([]byte(strings.Replace(text, c.old, c.new, 1)))).
				To(MatchError(ContainSubstring(c.want)))
		})
	}
	NewWithT(t).Expect(reports.Validate([]byte(text))).To(Succeed())
}

// A field added to the environment must be added to the schema too, or no report would be valid.
func TestTheSchemaNamesEveryFieldOfTheEnvironment(t *testing.T) {
	g := NewWithT(t)
	var schema struct {
		Defs map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	g.Expect(json.Unmarshal(reports.SchemaText(), &schema)).To(Succeed())
	for def, of := range map[string]reflect.Type{
		"environment": reflect.TypeFor[spec.Environment](), "host": reflect.TypeFor[spec.HostEnvironment](),
		"requirement": reflect.TypeFor[reports.RequirementFinding](), "spec": reflect.TypeFor[reports.SpecFinding](),
		"summary": reflect.TypeFor[reports.Totals](),
	} {
		var fields []string
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			fields = append(fields, name)
		}
		var named []string
		for name := range schema.Defs[def].Properties {
			named = append(named, name)
		}
		g.Expect(named).To(ConsistOf(fields), def)
	}
}

func TestJUnitCountsWhatTheReportCounts(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Issues = known(t, "JM-CLEAN-01") // FIXED: nobody shows it
	results := with(green(), failed())
	for _, v := range []verdict.Verdict{"CRASH", "HANG", "ERROR", "KNOWN", "SKIP", "NOTRUN", "PASS"} {
		results = append(results, reports.SpecResult{
			ID: "JM-EVT-01", Text: "ends in " + string(v), Verdict: v, Failure: &reports.Failure{Message: "bell \a <&>"},
		})
	}
	dir := t.TempDir()
	r := reports.Build(run, results)
	g.Expect(r.WriteJUnit(dir)).To(Succeed())
	text, err := os.ReadFile(filepath.Join(dir, reports.JUnitFile))
	g.Expect(err).NotTo(HaveOccurred())
	var back struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Class   string    `xml:"classname,attr"`
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	g.Expect(xml.Unmarshal(text, &back)).To(Succeed())
	g.Expect(back.Suites).To(HaveLen(1))
	s := back.Suites[0]
	failures, errs, skipped := []string{}, []string{}, []string{}
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			failures = append(failures, c.Class+" "+c.Name)
		case c.Error != nil:
			errs = append(errs, c.Class+" "+c.Name)
		case c.Skipped != nil:
			skipped = append(skipped, c.Class+" "+c.Name)
		}
	}
	g.Expect(failures).To(ConsistOf("JM-EVT-01 ends in CRASH", "JM-EVT-01 ends in HANG",
		"JM-EVT-02 gives the context back"))
	g.Expect(errs).To(ConsistOf("JM-EVT-01 ends in ERROR"))
	g.Expect(skipped).To(ConsistOf("JM-EVT-01 ends in KNOWN", "JM-EVT-01 ends in SKIP", "JM-EVT-01 ends in NOTRUN",
		"JM-IB-01 The MLID lies in the multicast range."))
	g.Expect([]int{s.Tests, s.Failures, s.Errors, s.Skipped}).
		To(Equal([]int{len(s.Cases), len(failures), len(errs), len(skipped)}))
	g.Expect(s.Cases).To(HaveLen(12))
}

func TestJUnitIsAsItWasPromised(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(reports.Build(simRun(), with(green(), failed())).WriteJUnit(dir)).To(Succeed())
	text, err := os.ReadFile(filepath.Join(dir, reports.JUnitFile))
	g.Expect(err).NotTo(HaveOccurred())
	golden(t, "junit.xml", string(text))
}

func TestJUnitShowsARunThatDidNotQualify(t *testing.T) {
	g := NewWithT(t)
	run := simRun()
	run.Reason = "QEMU is not installed"
	dir := t.TempDir()
	g.Expect(reports.Build(run, nil).WriteJUnit(dir)).To(Succeed())
	text, err := os.ReadFile(filepath.Join(dir, reports.JUnitFile))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(ContainSubstring(`errors="1"`))
	g.Expect(string(text)).To(ContainSubstring(`<error message="QEMU is not installed" type="NOT-QUALIFIED">`))
}

func TestAReportThatCannotBeWrittenIsToldInOneSentence(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "out")
	g.Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
	r := reports.Build(simRun(), green())
	path := filepath.Join(file, "sim", reports.JSONFile)
	g.Expect(r.WriteJSON(filepath.Dir(path))).To(MatchError(path + " was not written: not a directory"))
}

func TestAReportReplacesTheOldOneAndLeavesNothingElse(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(reports.Build(simRun(), nil).WriteJSON(dir)).To(Succeed())
	r := reports.Build(simRun(), green())
	g.Expect(r.WriteJSON(dir)).To(Succeed())
	g.Expect(reports.Read(filepath.Join(dir, reports.JSONFile))).To(Equal(r))
	g.Expect(os.ReadDir(dir)).To(HaveLen(1))
}
