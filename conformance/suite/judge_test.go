package suite

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/conformance/rig"
	"joinmcast/reports"
	"joinmcast/spec"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/specmock"
	"joinmcast/spec/verdict"
)

// lost is a known issue: the context is NULL.
var lost = verdict.KnownIssue{
	ID: "KI-1", Requirement: "JM-EVT-03",
	Symptom: verdict.Symptom{Verdict: verdict.Fail, Observed: map[string]string{"context": "NULL"}},
}

// A failed assertion is looked up among the known issues of this stack, unless the spec stumbled over what it leans on.
func TestFailureIsLookedUpAmongTheKnownIssues(t *testing.T) {
	hung := &spec.Hung{Method: "rdma_join_multicast", Proof: "deadline"}
	for name, c := range map[string]struct {
		applying verdict.Issues
		context  string // observed
		call     error  // what a call did to the spec
		leansOn  string
		want     reports.SpecResult
		notKnown string
	}{
		"the symptom": {
			applying: verdict.Issues{lost}, context: "NULL",
			want: reports.SpecResult{Verdict: verdict.Known, KnownIssue: "KI-1"},
		},
		"the symptom on a stack that does not have the issue": {
			context: "NULL", want: reports.SpecResult{Verdict: verdict.Fail},
		},
		"another symptom": {
			applying: verdict.Issues{lost}, context: "other", want: reports.SpecResult{Verdict: verdict.Fail},
			notKnown: `its symptom is context "NULL", the outcome is "other"`,
		},
		"a hang with the symptom's observation": {
			applying: verdict.Issues{lost}, context: "NULL", call: hung, want: reports.SpecResult{Verdict: verdict.Hang},
			notKnown: "its symptom is FAIL, the outcome is HANG",
		},
		"a fault of the harness with the symptom's observation": {
			applying: verdict.Issues{lost}, context: "NULL", call: errors.New("the wire is cut"),
			want: reports.SpecResult{Verdict: verdict.Error}, notKnown: "its symptom is FAIL, the outcome is ERROR",
		},
		"the symptom after a step that leaned on something else": {
			applying: verdict.Issues{lost}, context: "NULL", leansOn: "JM-BIND-04",
			want: reports.SpecResult{Verdict: verdict.Fail, BlockedBy: "JM-BIND-04"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			j := &judged{
				run: &run{applying: c.applying}, law: catalogue.Requirement{ID: "JM-EVT-03"},
				record: rig.NewRecord("JM-EVT-03"),
			}
			RegisterTestingT(t) // the rig asserts as in a spec
			rig.Begin(answering(t, c.call), spec.Environment{}, j.record, 1, time.Second)
			rig.Observe("context", c.context)
			_ = rig.Start(t.Context()).DestroyID(t.Context(), 1)
			if c.leansOn != "" {
				InterceptGomegaFailures(func() { rig.Control(c.leansOn, errors.New("refused"), "what it leans on") })
			}

			j.blame()

			g.Expect(j.result).To(Equal(c.want))
			g.Expect(j.notKnown).To(ContainSubstring(c.notKnown))
			if c.notKnown == "" {
				g.Expect(j.notKnown).To(BeEmpty())
			}
		})
	}
}

// answering is a backend of one host, whose processes answer rdma_destroy_id so.
func answering(t *testing.T, answer error) spec.Backend {
	ctrl := gomock.NewController(t)
	backend, host, process := specmock.NewMockBackend(ctrl), specmock.NewMockHost(ctrl), specmock.NewMockProcess(ctrl)
	backend.EXPECT().Hosts().Return([]spec.Host{host})
	host.EXPECT().Observe(gomock.Any()).Return(spec.HostState{}, nil)
	host.EXPECT().Start(gomock.Any()).Return(process, nil)
	process.EXPECT().DestroyID(gomock.Any(), spec.ID(1)).Return(answer)
	return backend
}

// What every spec leaves behind is looked up by the requirement whose spec left it.
func TestLeftoversAreLookedUpAmongTheKnownIssues(t *testing.T) {
	issue := verdict.KnownIssue{
		ID: "KI-2", Requirement: "JM-CLEAN-03", During: "JM-EVT-03",
		Symptom: verdict.Symptom{Verdict: verdict.Fail, Observed: map[string]string{"igmp": "changed"}},
	}
	dirty := []comparison{{
		name: "host0", after: spec.HostState{IGMP: []spec.Membership{{Netdev: "eth0", Users: 1}}},
	}}
	for during, want := range map[string]verdict.Verdict{"JM-EVT-03": verdict.Known, "JM-EVT-02": verdict.Fail} {
		g := NewWithT(t)
		j := &judged{
			run: &run{applying: verdict.Issues{issue}}, law: catalogue.Requirement{ID: during}, record: rig.NewRecord(during),
		}
		backend := specmock.NewMockBackend(gomock.NewController(t))
		backend.EXPECT().Hosts().Return(nil)
		j.world = rig.Begin(backend, spec.Environment{}, j.record, 1, time.Second)

		found, err := j.find(catalogue.Requirement{ID: "JM-CLEAN-03"}, leftovers["JM-CLEAN-03"], dirty)

		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found.Verdict).To(Equal(want), during)
	}
}

func TestCapabilityIsLackingOnlyWithEvidence(t *testing.T) {
	needy := catalogue.Requirement{Needs: []spec.Capability{spec.Configure}}
	for name, c := range map[string]struct {
		claims spec.Capabilities
		need   spec.Capability
		fault  string
	}{
		"it is there":   {claims: spec.Capabilities{spec.Configure: {Has: true, How: "a guest"}}},
		"it is lacking": {claims: spec.Capabilities{spec.Configure: {How: "not ours"}}, need: spec.Configure},
		"it is lacking by its word": {
			claims: spec.Capabilities{spec.Configure: {}}, need: spec.Configure,
			fault: `the stack says that it lacks "configure", and not how that is known`,
		},
		"nobody says": {
			need: spec.Configure, fault: `the stack says neither that it has "configure" nor that it lacks it`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)

			need, _, err := (&run{caps: c.claims}).lacks(needy)

			g.Expect(need).To(Equal(c.need))
			if c.fault == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(c.fault))
		})
	}
}
