package verdict_test

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

const whole = `- id: KI-1
  requirement: JM-SYN-02
  layer: librdmacm
  when: {target: "rxe-*", kernel: ">=5.10 <6.6", rdma_core: "<60", roce_mode: RoCE v2, driver: rdma_rxe}
  symptom:
    verdict: FAIL
    observed: {errno: EINVAL, count: 2}
  reference: https://example.org/1
  owner: someone@example.org
  added: 2026-01-31
  expires: 2026-12-31
`

// leak is a known issue of what the specs of one requirement leave behind.
const leak = `- id: KI-LEAK
  requirement: JM-CLEAN-03
  during: JM-SYN-02
  layer: rdma_cm
  when: {driver: rdma_rxe}
  symptom: {verdict: FAIL, observed: {igmp: changed}}
  reference: https://example.org/2
  owner: someone@example.org
  added: 2026-01-31
  expires: 2026-12-31
`

// lawful is a law of two chapters.
func lawful(id string) (catalogue.Requirement, bool) {
	q := catalogue.Requirement{ID: id, Observe: []string{"errno", "count"}}
	switch {
	case strings.HasPrefix(id, "JM-CLEAN-"):
		q.Observe, q.Judged = []string{"igmp", "mld"}, catalogue.AfterEverySpec
	case id == "JM-SYN-09":
		q.Observe, q.WhyNot = nil, "Nobody can see it."
	case !strings.HasPrefix(id, "JM-SYN-"):
		return catalogue.Requirement{}, false
	}
	return q, true
}

func parse(text string) (verdict.Issues, error) {
	return verdict.ParseIssues(lawful, verdict.File{Name: "upstream.yaml", Data: []byte(text)})
}

func mustParse(t *testing.T, text string) verdict.Issues {
	t.Helper()
	issues, err := parse(text)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return issues
}

var stack = verdict.Facts{
	Target: "rxe-bookworm-bookworm", Driver: "rdma_rxe", Kernel: "6.1.0-57-amd64", RDMACore: "44.0-2",
	RoCEMode: "RoCE v2",
}

func TestAKnownIssueKeepsEveryFieldItsFileHas(t *testing.T) {
	g := NewWithT(t)
	issues := mustParse(t, whole)
	g.Expect(issues).To(HaveLen(1))
	k := issues[0]
	g.Expect(k.ID).To(Equal("KI-1"))
	g.Expect(k.Layer).To(Equal(spec.Librdmacm))
	g.Expect(k.When.Kernel.String()).To(Equal(">=5.10 <6.6"))
	g.Expect(k.Symptom.Observed).To(Equal(map[string]string{"errno": "EINVAL", "count": "2"}))
	g.Expect(k.Expires).To(Equal(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)))
	g.Expect(k.When.String()).To(Equal(
		"target rxe-*, driver rdma_rxe, kernel >=5.10 <6.6, rdma-core <60, RoCE mode RoCE v2"))
	g.Expect(k.Symptom.String()).To(Equal("FAIL with count 2, errno EINVAL"))
	g.Expect(k.Repair()).To(Equal("remove entry KI-1 from upstream.yaml (line 1)"))
}

func TestParseIssuesRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown field":       {"owner:", "ownr:", "upstream.yaml:9: field ownr not found; want a list of known issues"},
		"unknown requirement": {"JM-SYN-02", "JM-SYM-02", "upstream.yaml:1: known issue KI-1: requirement JM-SYM-02 is"},
		"unobserved field":    {"{errno:", "{error:", "KI-1: JM-SYN-02 does not observe error; want one of errno, count"},
		"needless during":     {"layer:", "during: JM-SYN-03\n  layer:", "JM-SYN-02 is judged by its own specs"},
		"no id":               {"id: KI-1", "id: ''", "upstream.yaml:1: known issue without id: id is missing"},
		"no owner":            {"owner: someone@example.org", "owner:", "owner is missing"},
		"no reference":        {"reference: https://example.org/1\n", "\n", "reference is missing"},
		"no expiry":           {"expires: 2026-12-31", "", "expires is missing"},
		"bad date":            {"2026-12-31", "2026-13-31", `expires is "2026-13-31"; want a date such as 2026-01-31`},
		"expired when added":  {"2026-12-31", "2025-12-31", "it expires on 2025-12-31, before 2026-01-31"},
		"unknown layer":       {"layer: librdmacm", "layer: libibverbs", `layer "libibverbs" is none`},
		"bad kernel":          {">=5.10 <6.6", "old", `kernel: "old" is no range of versions`},
		"bad rdma-core":       {`"<60"`, `"<sixty"`, `rdma_core: "<sixty" is no range of versions`},
		"bad pattern":         {"rxe-*", "rxe-[", `target "rxe-[" is no pattern`},
		"nothing observed":    {"{errno: EINVAL, count: 2}", "{}", "too broad: its symptom observes nothing"},
		"harness":             {"verdict: FAIL", "verdict: ERROR", `symptom verdict "ERROR" cannot be known`},
		"no symptom":          {"verdict: FAIL", "verdict:", `symptom verdict "" cannot be known`},
		"not a list":          {"- id", "  id", "want a list of known issues"},
		"not YAML":            {"- id: KI-1", "- id: [", "upstream.yaml:"},
		"two documents":       {"expires: 2026-12-31\n", "expires: 2026-12-31\n---\n[]\n", "a second YAML document"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(whole).To(ContainSubstring(c.old))
			issues, err := parse(strings.Replace(whole, c.old, c.new, 1))
			g.Expect(err).To(MatchError(ContainSubstring(c.want)))
			g.Expect(issues).To(BeEmpty())
		})
	}
}

func TestParseIssuesRefusesADuringWithoutSpecs(t *testing.T) {
	for during, want := range map[string]string{
		"JM-SYM-02":   "upstream.yaml:1: known issue KI-LEAK: during JM-SYM-02 is not in the catalogue; name the requirement",
		"JM-SYN-09":   "during JM-SYN-09 has no specs that could leave anything",
		"JM-CLEAN-03": "during JM-CLEAN-03 has no specs that could leave anything",
	} {
		t.Run(during, func(t *testing.T) {
			_, err := parse(strings.Replace(leak, "JM-SYN-02", during, 1))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
		})
	}
}

func TestAnIssueWithDuringHoldsForTheSpecsOfThatRequirementAlone(t *testing.T) {
	g := NewWithT(t)
	k := mustParse(t, leak)[0]
	left := verdict.Outcome{
		Requirement: "JM-CLEAN-03", During: "JM-SYN-02", Verdict: verdict.Fail,
		Observed: map[string]string{"igmp": "changed", "mld": "same"},
	}
	g.Expect(k.Matches(left)).To(BeTrue())
	left.During = "JM-SYN-03"
	g.Expect(k.Matches(left)).To(BeFalse())
	k.During = ""
	g.Expect(k.Matches(left)).To(BeTrue())
}

func TestTheIssuesOfARequirementAreNoOthers(t *testing.T) {
	g := NewWithT(t)
	issues := mustParse(t, whole+leak)
	g.Expect(issues.Of("JM-CLEAN-03")).To(HaveExactElements(HaveField("ID", "KI-LEAK")))
	g.Expect(issues.Of("JM-SYN-09")).To(BeEmpty())
}

func TestParseIssuesRefusesAnEmptyWhen(t *testing.T) {
	g := NewWithT(t)
	start, end := strings.Index(whole, "  when:"), strings.Index(whole, "  symptom:")
	_, err := parse(whole[:start] + whole[end:])
	g.Expect(err).To(MatchError(ContainSubstring("upstream.yaml:1: known issue KI-1: too broad: when is empty")))
}

func TestParseIssuesRefusesAnIDUsedTwiceAcrossFiles(t *testing.T) {
	g := NewWithT(t)
	_, err := verdict.ParseIssues(lawful,
		verdict.File{Name: "a.yaml", Data: []byte(whole)}, verdict.File{Name: "b.yaml", Data: []byte("\n" + whole)})
	g.Expect(err).To(MatchError("b.yaml:2: id KI-1 is used before, in a.yaml:1; give this entry its own"))
}

func TestParseIssuesTellsOfEveryFaultAtOnce(t *testing.T) {
	g := NewWithT(t)
	bad := strings.Replace(whole, "owner: someone@example.org", "owner:", 1)
	_, err := parse(bad + strings.ReplaceAll(bad, "KI-1", "KI-2"))
	g.Expect(err).To(MatchError(ContainSubstring("upstream.yaml:1: known issue KI-1: owner is missing")))
	g.Expect(err).To(MatchError(ContainSubstring("upstream.yaml:12: known issue KI-2: owner is missing")))
}

func TestAnEmptyFileHasNoKnownIssues(t *testing.T) {
	g := NewWithT(t)
	g.Expect(mustParse(t, "# none\n")).To(BeEmpty())
	g.Expect(mustParse(t, "[]\n")).To(BeEmpty())
}

func TestAHangIsASymptomByItself(t *testing.T) {
	g := NewWithT(t)
	text := strings.NewReplacer("verdict: FAIL", "verdict: HANG", "observed: {errno: EINVAL, count: 2}", "").Replace(whole)
	k := mustParse(t, text)[0]
	g.Expect(k.Matches(verdict.Outcome{Requirement: "JM-SYN-02", Verdict: verdict.Hang})).To(BeTrue())
	g.Expect(k.Matches(verdict.Outcome{Requirement: "JM-SYN-02", Verdict: verdict.Crash})).To(BeFalse())
}

func TestAnIssueAppliesOnlyWhereAllOfWhenFits(t *testing.T) {
	g := NewWithT(t)
	k := mustParse(t, whole)[0]
	g.Expect(k.Applies(stack)).To(BeTrue())
	for name, change := range map[string]func(*verdict.Facts){
		"target":    func(f *verdict.Facts) { f.Target = "sim" },
		"driver":    func(f *verdict.Facts) { f.Driver = "mlx5_core" },
		"kernel":    func(f *verdict.Facts) { f.Kernel = "6.6.1" },
		"no kernel": func(f *verdict.Facts) { f.Kernel = "" },
		"rdma-core": func(f *verdict.Facts) { f.RDMACore = "60.0" },
		"RoCE mode": func(f *verdict.Facts) { f.RoCEMode = "IB/RoCE v1" },
	} {
		other := stack
		change(&other)
		g.Expect(k.Applies(other)).To(BeFalse(), "with another %s", name)
	}
}

func TestAnIssueOfAQuirkAppliesWhereTheQuirkIsOn(t *testing.T) {
	g := NewWithT(t)
	text := strings.Replace(whole, `when: {target: "rxe-*", kernel: ">=5.10 <6.6", rdma_core: "<60", roce_mode: RoCE v2, `+
		`driver: rdma_rxe}`, "when: {quirk: leave-errno}", 1)
	issues := mustParse(t, text)
	g.Expect(issues.Applying(verdict.Facts{Target: "sim", Quirks: []string{"leave-errno"}})).To(HaveLen(1))
	g.Expect(issues.Applying(verdict.Facts{Target: "sim"})).To(BeEmpty())
}

func TestFactsTakeDebiansStableReleaseFromTheKernelVersion(t *testing.T) {
	g := NewWithT(t)
	facts := verdict.FactsOf("rxe", spec.Environment{Hosts: []spec.HostEnvironment{
		{
			KernelRelease: "6.1.0-57-amd64", KernelVersion: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-01)",
			RDMACore: "44.0-2", Driver: "rdma_rxe", RoCEMode: "RoCE v2",
		},
		{KernelRelease: "5.10.0"},
	}})
	g.Expect(facts).To(Equal(verdict.Facts{
		Target: "rxe", Driver: "rdma_rxe", Kernel: "6.1.192", RDMACore: "44.0-2", RoCEMode: "RoCE v2",
	}))
}

func TestMatchDemandsTheVerdictAndEveryFieldOfTheSymptom(t *testing.T) {
	seen := map[string]string{"errno": "EINVAL", "count": "2", "event": "MULTICAST_ERROR"}
	other := map[string]string{"errno": "0", "count": "2"}
	for name, c := range map[string]struct {
		requirement string
		verdict     verdict.Verdict
		observed    map[string]string
		matches     bool
		why         string
	}{
		"exactly":             {"JM-SYN-02", "FAIL", seen, true, ""},
		"another value":       {"JM-SYN-02", "FAIL", other, false, `"0"; if it is the same defect, correct`},
		"a field is missing":  {"JM-SYN-02", "FAIL", map[string]string{"errno": "EINVAL"}, false, "count was not observed"},
		"another verdict":     {"JM-SYN-02", "HANG", seen, false, "its symptom is FAIL, the outcome is HANG"},
		"the harness":         {"JM-SYN-02", "ERROR", seen, false, "its symptom is FAIL, the outcome is ERROR"},
		"another requirement": {"JM-SYN-03", "FAIL", seen, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			issue, why := mustParse(t, whole).Match(verdict.Outcome{
				Requirement: c.requirement, Verdict: c.verdict, Observed: c.observed,
			})
			g.Expect(issue != nil).To(Equal(c.matches))
			g.Expect(why).To(ContainSubstring(c.why))
			g.Expect(why).To(WithTransform(func(s string) bool { return s == "" }, Equal(c.why == "")))
		})
	}
}

func TestAnIssueHoldsOnItsLastDayAndNotAfter(t *testing.T) {
	g := NewWithT(t)
	issues := mustParse(t, whole)
	g.Expect(issues[0].DaysLeft(time.Date(2026, 12, 30, 12, 0, 0, 0, time.UTC))).To(Equal(2))
	g.Expect(issues[0].DaysLeft(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))).To(BeZero())
	g.Expect(issues.ExpiryWarnings(time.Date(2026, 12, 31, 23, 59, 0, 0, time.UTC))).To(BeEmpty())
	g.Expect(issues.ExpiryWarnings(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))).To(ConsistOf(
		"known issue KI-1 expired on 2026-12-31: ask someone@example.org, then remove it or renew its expiry " +
			"(upstream.yaml, line 1)"))
}

func TestAFaultOfTheSuiteIsNeverKnown(t *testing.T) {
	g := NewWithT(t)
	k := verdict.KnownIssue{Symptom: verdict.Symptom{Verdict: verdict.Error}}
	g.Expect(k.Matches(verdict.Outcome{Verdict: verdict.Error})).To(BeFalse())
}
