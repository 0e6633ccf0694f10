package reports_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"gotest.tools/v3/golden"

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
	golden.Assert(t, string(written(t, reports.Build(liveRun(), with(green(), failed())))), "report.json")
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

func TestJUnitIsAsItWasPromised(t *testing.T) {
	r := reports.Build(simRun(), with(green(), failed()))
	golden.Assert(t, string(junitText(NewWithT(t), r, t.TempDir())), "junit.xml")
}

// everyVerdict is a run in which each verdict is some spec's.
func everyVerdict(t *testing.T) (reports.Run, []reports.SpecResult) {
	t.Helper()
	run := simRun()
	run.Issues = known(t, "JM-CLEAN-01") // FIXED: nobody shows it
	results := with(green(), failed())
	for _, v := range []verdict.Verdict{"CRASH", "HANG", "ERROR", "KNOWN", "SKIP", "NOTRUN", "PASS"} {
		results = append(results, reports.SpecResult{
			ID: "JM-EVT-01", Text: "ends in " + string(v), Verdict: v, Failure: &reports.Failure{Message: "bell \a <&>"},
		})
	}
	return run, results
}

func TestEveryVerdictIsWrittenAsItWasPromised(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	r := reports.Build(everyVerdict(t))
	golden.Assert(t, string(junitText(g, r, dir)), "junit-every-verdict.xml")
	golden.Assert(t, summary(t, r, reports.SummaryOptions{}), "summary-every-verdict.txt")
	g.Expect(reports.WriteTrace(dir, []reports.SpecResult{
		{ID: "JM-EVT-02", Text: "gives the context back", Seed: 8},
		{ID: "JM-EVT-01", Text: "gives one MULTICAST_JOIN", Seed: 7, Trace: failed().Failure.Trace},
	})).To(Succeed())
	trace, err := os.ReadFile(filepath.Join(dir, reports.TraceFile))
	g.Expect(err).NotTo(HaveOccurred())
	golden.Assert(t, string(trace), "trace.txt")
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
