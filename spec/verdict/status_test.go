package verdict_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec/verdict"

	"joinmcast/spec"
)

func result(level spec.Level, specs ...verdict.Verdict) verdict.Result {
	return verdict.Result{ID: "JM-TST-01", Level: level, Layer: spec.RDMACM, Specs: specs}
}

func TestStatusOf(t *testing.T) {
	pass, left := result("MUST", "PASS"), result("MUST", "NOTRUN")
	for name, c := range map[string]struct {
		results []verdict.Result
		want    verdict.Status
	}{
		"all pass":                       {[]verdict.Result{pass, result("IS", "PASS")}, "CONFORMANT"},
		"another transport":              {[]verdict.Result{pass, result("MUST", "NA")}, "CONFORMANT"},
		"an IS is skipped":               {[]verdict.Result{pass, result("IS", "SKIP")}, "CONFORMANT"},
		"an IS is left out":              {[]verdict.Result{pass, result("IS", "NOTRUN")}, "CONFORMANT"},
		"known":                          {[]verdict.Result{pass, result("IS", "KNOWN")}, "CONFORMANT-WITH-KNOWN-ISSUES"},
		"a MUST is skipped":              {[]verdict.Result{pass, result("MUST", "SKIP")}, "PARTIAL"},
		"a MUST is skipped in part":      {[]verdict.Result{pass, result("MUST", "PASS", "SKIP")}, "PARTIAL"},
		"a known MUST is skipped half":   {[]verdict.Result{pass, result("MUST", "KNOWN", "SKIP")}, "PARTIAL"},
		"a MUST is left out":             {[]verdict.Result{pass, left}, "SELECTION"},
		"a MUST is left out in part":     {[]verdict.Result{pass, result("MUST", "KNOWN", "NOTRUN")}, "SELECTION"},
		"left out and skipped":           {[]verdict.Result{pass, left, result("MUST", "SKIP")}, "SELECTION"},
		"only a known one is selected":   {[]verdict.Result{left, result("MUST", "KNOWN")}, "SELECTION"},
		"only an IS is selected":         {[]verdict.Result{left, result("IS", "PASS")}, "SELECTION"},
		"a selected one fails":           {[]verdict.Result{pass, left, result("IS", "FAIL")}, "NON-CONFORMANT"},
		"a selected one is skipped":      {[]verdict.Result{left, result("MUST", "SKIP")}, "NOT-QUALIFIED"},
		"MUST fails":                     {[]verdict.Result{pass, result("MUST", "FAIL")}, "NON-CONFORMANT"},
		"IS hangs":                       {[]verdict.Result{pass, result("IS", "HANG")}, "NON-CONFORMANT"},
		"IS crashes":                     {[]verdict.Result{pass, result("IS", "CRASH")}, "NON-CONFORMANT"},
		"MUST is fixed":                  {[]verdict.Result{pass, result("MUST", "FIXED")}, "NON-CONFORMANT"},
		"MAY has an unlisted outcome":    {[]verdict.Result{pass, result("MAY", "FAIL")}, "NON-CONFORMANT"},
		"HAZARD crashes":                 {[]verdict.Result{pass, result("HAZARD", "CRASH")}, "NON-CONFORMANT"},
		"the suite errs on a MAY":        {[]verdict.Result{pass, result("MAY", "ERROR")}, "NON-CONFORMANT"},
		"no requirements":                {nil, "NOT-QUALIFIED"},
		"all skipped":                    {[]verdict.Result{result("MUST", "SKIP"), result("IS", "SKIP")}, "NOT-QUALIFIED"},
		"all left out":                   {[]verdict.Result{left}, "NOT-QUALIFIED"},
		"all of another transport":       {[]verdict.Result{result("MUST", "NA")}, "NOT-QUALIFIED"},
		"no spec at all":                 {[]verdict.Result{result("MUST")}, "NOT-QUALIFIED"},
		"no MUST passes, none left out":  {[]verdict.Result{result("MUST", "KNOWN"), result("IS", "PASS")}, "NOT-QUALIFIED"},
		"no MUST passes, all skipped":    {[]verdict.Result{result("MUST", "SKIP"), result("IS", "PASS")}, "NOT-QUALIFIED"},
		"a MUST has no spec, one passes": {[]verdict.Result{pass, result("MUST")}, "SELECTION"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			status, why := verdict.StatusOf(c.results)
			g.Expect(status).To(Equal(c.want))
			g.Expect(why).To(WithTransform(func(s string) bool { return s != "" }, Equal(c.want == verdict.NotQualified)))
		})
	}
}

// No combination of verdicts without a PASS or a KNOWN is green.
func TestNothingIsGreenByAbsence(t *testing.T) {
	g := NewWithT(t)
	for _, a := range verdict.All() {
		for _, b := range verdict.All() {
			for _, level := range spec.Levels() {
				status, _ := verdict.StatusOf([]verdict.Result{result("MUST", a), result(level, b)})
				green := verdict.ExitCode(status, true) == verdict.ExitGreen
				passed := a == verdict.Pass || b == verdict.Pass || a == verdict.Known || b == verdict.Known
				g.Expect(green && !passed).To(BeFalse(), "MUST %s with %s %s is %s", a, level, b, status)
			}
		}
	}
}

func TestLayerStatusesJudgeEachLayerByItself(t *testing.T) {
	g := NewWithT(t)
	g.Expect(verdict.LayerStatuses([]verdict.Result{
		{Level: "MUST", Layer: "librdmacm", Specs: []verdict.Verdict{"KNOWN"}},
		{Level: "MUST", Layer: "rdma_cm", Specs: []verdict.Verdict{"PASS"}},
		{Level: "IS", Layer: "driver", Specs: []verdict.Verdict{"FAIL"}},
		{Level: "MUST", Layer: "fabric", Specs: []verdict.Verdict{"NA"}},
	})).To(Equal(map[spec.Layer]verdict.Status{
		"librdmacm": "CONFORMANT-WITH-KNOWN-ISSUES", "rdma_cm": "CONFORMANT", "driver": "NON-CONFORMANT",
		"fabric": "NOT-QUALIFIED",
	}))
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		status       verdict.Status
		allowPartial bool
		want         int
	}{
		{"CONFORMANT", false, 0},
		{"CONFORMANT-WITH-KNOWN-ISSUES", false, 0},
		{"SELECTION", false, 0},
		{"PARTIAL", true, 0},
		{"PARTIAL", false, 1},
		{"NON-CONFORMANT", true, 1},
		{"NOT-QUALIFIED", true, 2},
		{"", true, 2},
	} {
		t.Run(string(c.status), func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(verdict.ExitCode(c.status, c.allowPartial)).To(Equal(c.want))
		})
	}
}
