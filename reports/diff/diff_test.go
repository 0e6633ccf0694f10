package diff_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"gotest.tools/v3/golden"

	"joinmcast/reports"
	"joinmcast/reports/diff"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// classes has two reports for each class, which differ in that class alone.
func classes() map[diff.Class][2]*reports.Report {
	return map[diff.Class][2]*reports.Report{
		diff.Regressed: {report(), report(
			ended("JM-EVT-02", verdict.Fail), saw("JM-EVT-02", "context", "0"),
			ended("JM-ARG-01", verdict.Known), saw("JM-ARG-01", "errno", "ENODEV"))},
		diff.Lost:    {report(), report(ended("JM-EVT-02", verdict.Skip))},
		diff.Changed: {report(), report(saw("JM-EVT-01", "event", "MULTICAST_ERROR"), saw("JM-EVT-03", "status", "-1"))},
		diff.New:     {report(without("JM-EVT-02")), report()},
		diff.Gone:    {report(), report(ended("JM-EVT-02", verdict.NA), without("JM-ARG-01"))},
		diff.Gained:  {report(ended("JM-EVT-02", verdict.Skip)), report()},
		diff.Fixed: {report(
			ended("JM-EVT-01", verdict.Known), ended("JM-EVT-02", verdict.Fail), saw("JM-EVT-02", "context", "0")), report()},
		diff.Environment: {report(), report(on("6.12.38-1-amd64", "56.1-1"))},
	}
}

func TestEachClassAsText(t *testing.T) {
	for class, pair := range classes() {
		t.Run(string(class), func(t *testing.T) {
			g := NewWithT(t)
			d := diff.Compare(pair[0], pair[1], varying())
			var text bytes.Buffer
			g.Expect(d.WriteText(&text)).To(Succeed())
			golden.Assert(t, text.String(), strings.ToLower(string(class))+".txt")
		})
	}
}

func TestNothingButWhatIsWorseIsRed(t *testing.T) {
	worse := []diff.Class{diff.Regressed, diff.Lost, diff.Changed}
	for class, pair := range classes() {
		t.Run(string(class), func(t *testing.T) {
			g := NewWithT(t)
			d := diff.Compare(pair[0], pair[1], varying())
			g.Expect(d.Comparable()).To(BeTrue())
			g.Expect(d.Green()).To(Equal(!slices.Contains(worse, class)))
		})
	}
}

// Every pair of verdicts, also of a report that does not have the requirement: the class, and ! where it is red.
func TestEveryPairOfVerdictsHasAClass(t *testing.T) {
	all := append(verdict.All(), "")
	with := func(v verdict.Verdict) *reports.Report {
		if v == "" {
			return report(without("JM-EVT-01"))
		}
		return report(ended("JM-EVT-01", v))
	}
	head := "A, then B "
	for _, b := range all {
		head += fmt.Sprintf(" %-10s", cmp.Or(b, "absent"))
	}
	lines := []string{head}
	for _, a := range all {
		line := fmt.Sprintf("%-10s", cmp.Or(a, "absent"))
		for _, b := range all {
			word := "-"
			for _, c := range diff.Compare(with(a), with(b), varying()).Changes {
				word = string(c.Class) + map[bool]string{true: "!"}[c.Red]
			}
			line += fmt.Sprintf(" %-10s", word)
		}
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ") + "\n"
	}
	golden.Assert(t, strings.Join(lines, ""), "pairs.txt")
}

func TestAReportDoesNotDifferFromItself(t *testing.T) {
	g := NewWithT(t)
	d := diff.Compare(report(), report(), varying())
	g.Expect(d.Environment).To(BeEmpty())
	g.Expect(d.Changes).To(BeEmpty())
	g.Expect(d.Conclusion()).To(Equal("GREEN: A and B are the same report, of 4 requirements"))
}

func TestNonceSeedAndTimesAreNoDifference(t *testing.T) {
	g := NewWithT(t)
	again := report(func(r *reports.Report) {
		r.Seed, r.Command, r.Summary.Seconds = 9, "another", 9
		r.Environment.Nonce, r.Environment.Hosts[0].Nonce = "another", "another"
	})
	d := diff.Compare(report(), again, varying())
	g.Expect(d.Environment).To(BeEmpty())
	g.Expect(d.Conclusion()).To(Equal("GREEN: no difference; 4 requirements compared"))
}

func TestADifferenceOfOneHostNamesTheHost(t *testing.T) {
	g := NewWithT(t)
	other := report(func(r *reports.Report) { r.Environment.Hosts[1].MTU = 9000 })
	g.Expect(diff.Compare(report(), other, varying()).Environment).To(Equal(
		[]diff.Field{{Name: "host 1 mtu", A: "1500", B: "9000"}}))
}

func TestADifferenceOfAllHostsIsSaidOnce(t *testing.T) {
	g := NewWithT(t)
	three := func(mtu int) *reports.Report {
		return report(func(r *reports.Report) {
			r.Environment.Hosts = append(r.Environment.Hosts, r.Environment.Hosts[1])
			for i := range r.Environment.Hosts {
				r.Environment.Hosts[i].MTU = mtu
			}
		})
	}
	g.Expect(diff.Compare(three(1500), three(9000), varying()).Environment).To(Equal(
		[]diff.Field{{Name: "mtu", A: "1500", B: "9000"}}))
}

func TestAHostThatIsGoneIsADifference(t *testing.T) {
	g := NewWithT(t)
	one := report(func(r *reports.Report) { r.Environment.Hosts = r.Environment.Hosts[:1] })
	g.Expect(diff.Compare(report(), one, varying()).Environment).To(ContainElement(
		diff.Field{Name: "host 1 name", A: "b"}))
}

func TestAChangeIsRedOfWhatBinds(t *testing.T) {
	for id, red := range map[string]bool{"JM-EVT-01": true, "JM-EVT-02": true, "JM-EVT-03": false} {
		t.Run(id, func(t *testing.T) {
			d := diff.Compare(report(), report(saw(id, "seen", "other")), varying())
			NewWithT(t).Expect(d.Green()).To(Equal(!red))
		})
	}
}

func TestWhatOnlyOneSideObservedIsADifference(t *testing.T) {
	g := NewWithT(t)
	nothing := report(with("JM-EVT-01", func(f *reports.RequirementFinding) { f.Observed = nil }))
	d := diff.Compare(nothing, report(), varying())
	g.Expect(d.Changes).To(HaveLen(1))
	g.Expect(d.Changes[0].Observed).To(Equal([]diff.Field{{Name: "event", B: "MULTICAST_JOIN"}}))
}

func TestAnNAThatDoesNotSayWhyIsOneAllTheSame(t *testing.T) {
	g := NewWithT(t)
	silent := with("JM-EVT-01", func(f *reports.RequirementFinding) { f.Verdict, f.Skip = verdict.NA, nil })
	d := diff.Compare(report(), report(silent), varying())
	g.Expect(d.Changes).To(HaveLen(1))
	g.Expect(d.Changes[0].Class).To(Equal(diff.Gone))
}

func TestWhatAFilterLeftOutIsNotCompared(t *testing.T) {
	g := NewWithT(t)
	d := diff.Compare(report(), report(ended("JM-EVT-01", verdict.NotRun)), varying())
	g.Expect(d.Changes).To(BeEmpty())
	g.Expect(d.Conclusion()).To(Equal("GREEN: no difference; 3 requirements compared, 1 left out by a filter"))
}

func TestWhatSpecsLeaveIsNotComparedWhereAFilterLeftSomeOut(t *testing.T) {
	g := NewWithT(t)
	judged := func(id string) (catalogue.Requirement, bool) {
		q := catalogue.Requirement{ID: id}
		if id == "JM-EVT-02" {
			q.Judged = catalogue.AfterEverySpec
		}
		return q, true
	}
	leaks := ended("JM-EVT-02", verdict.Known)
	g.Expect(diff.Compare(report(), report(leaks), judged).Changes).To(HaveLen(1), "control")
	d := diff.Compare(report(ended("JM-EVT-01", verdict.NotRun)), report(leaks), judged)
	g.Expect(d.Changes).To(BeEmpty())
	g.Expect(d.LeftOut).To(Equal(2))
}

func TestAnObservationThatVariesFromRunToRunIsNoChange(t *testing.T) {
	g := NewWithT(t)
	other := report(saw("JM-EVT-03", "status", "-1"))
	g.Expect(diff.Compare(report(), other, varying("run: either comes first")).Changes).To(BeEmpty())
}

func TestAnUnqualifiedReportIsNotCompared(t *testing.T) {
	g := NewWithT(t)
	dead := report(func(r *reports.Report) {
		r.Summary.Status, r.Summary.Reason = verdict.NotQualified, "the guest died"
	})
	d := diff.Compare(report(), dead, varying())
	g.Expect(d.Green()).To(BeFalse())
	g.Expect(d.Conclusion()).To(Equal("NOT COMPARABLE: B is NOT-QUALIFIED: the guest died"))
}

func TestReportsThatHaveNothingInCommonAreNotGreen(t *testing.T) {
	g := NewWithT(t)
	none := report(func(r *reports.Report) { r.Requirements = nil })
	d := diff.Compare(report(), none, varying())
	g.Expect(d.Green()).To(BeFalse())
	g.Expect(d.Conclusion()).To(Equal("NOT COMPARABLE: there is no requirement that both A and B ran"))
}
