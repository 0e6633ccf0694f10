package rig_test

import (
	"context"
	"io"
	"net/netip"
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	. "github.com/onsi/gomega"
	"go.uber.org/mock/gomock"

	"joinmcast/conformance/rig"
	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/specmock"
	"joinmcast/spec/verdict"
)

// Some of the specs here fail on purpose, to see what the rig does then. So they are a suite of their own, whose
// outcome is no test's: the tests look at what became of each spec.

// scene is a spec on a mocked host: what must be asked of the stack, in which order, and what the spec does.
type scene struct {
	expect func(s *stage) []any        // calls of the mocks, each once and in this order
	starts func(s *stage) spec.Process // what the host starts; nil: the mock
	body   func(ctx SpecContext)

	fails   string          // is part of the failure's text; empty: the spec passes
	trouble verdict.Verdict // that a call makes
	undos   int             // of changes of the host
	closed  int             // processes that ended by their own will
	err     error           // of the end of the world
}

// stage is what a scene is played on.
type stage struct {
	host    *specmock.MockConfigurer // with the methods of hostOf
	process *specmock.MockProcess
	undos   int
	closed  int                      // processes, by their own will
	seen    map[string]time.Duration // how long each call might last
}

// undo takes a change of the host back.
func (s *stage) undo(context.Context) error {
	s.undos++
	return nil
}

// ended is what became of a scene.
type ended struct {
	report    SpecReport
	satisfied bool  // everything expected was called
	err       error // of the world's end
	trouble   verdict.Verdict
	stage     *stage
}

// callDeadline bounds the calls of a scene.
const callDeadline = 100 * time.Millisecond

// address is the mocked host's own.
var address = netip.MustParsePrefix("192.168.1.1/24")

// endings are by the scenes' names.
var endings = map[string]*ended{}

var _ = Describe("a scene", func() {
	for name, s := range scenes {
		It(name, SpecTimeout(10*time.Second), func(ctx SpecContext) {
			end := &ended{}
			endings[name] = end
			ctrl := gomock.NewController(GinkgoT())
			on := &stage{host: specmock.NewMockConfigurer(ctrl), process: specmock.NewMockProcess(ctrl)}
			host := hostOf{specmock.NewMockHost(ctrl), on.host}
			host.EXPECT().Ports(gomock.Any()).Return([]spec.Port{{Addrs: []netip.Prefix{address}}}, nil).AnyTimes()
			host.EXPECT().Observe(gomock.Any()).Return(spec.HostState{}, nil).AnyTimes()
			var process spec.Process = on.process
			if s.starts != nil {
				process = s.starts(on)
			}
			host.EXPECT().Start(gomock.Any()).Return(process, nil).AnyTimes()
			backend := specmock.NewMockBackend(ctrl)
			backend.EXPECT().Hosts().Return([]spec.Host{host})
			gomock.InOrder(s.expect(on)...)

			record := rig.NewRecord("JM-EVT-03")
			world := rig.Begin(backend, spec.Environment{}, record, 1, callDeadline)
			DeferCleanup(func(ctx SpecContext) {
				end.err = world.End(ctx)
				end.satisfied, end.trouble, end.stage = ctrl.Satisfied(), record.Trouble(), on
			})
			s.body(ctx)
		})
	}
	ReportAfterEach(func(r SpecReport) { endings[r.LeafNodeText].report = r })
})

// hostOf is a mocked host that is ours to change.
type hostOf struct {
	*specmock.MockHost
	changes *specmock.MockConfigurer
}

func (h hostOf) Configure(ctx context.Context, c spec.Change) (func(context.Context) error, error) {
	return h.changes.Configure(ctx, c)
}

// deaf does not hear that a suite failed.
type deaf struct{}

func (deaf) Fail() {}

func TestMain(m *testing.M) {
	RegisterFailHandler(Fail)
	formatter.ColorableStdOut = io.Discard
	RunSpecs(deaf{}, "the rig on a mocked stack")
	os.Exit(m.Run())
}

func TestEveryCallHasTheDeadlineOfItsWorld(t *testing.T) {
	g := NewWithT(t)
	seen := endings["gives every call a deadline"].stage.seen
	g.Expect(seen).To(HaveLen(len(call.Methods())))
	for method, left := range seen {
		g.Expect(left).To(And(BeNumerically(">", 0), BeNumerically("<=", callDeadline)), method)
	}
}

func TestRig(t *testing.T) {
	for name, s := range scenes {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			end := endings[name]
			g.Expect(end).NotTo(BeNil(), "the scene was not played")
			if s.fails == "" {
				g.Expect(end.report.Failed()).To(BeFalse(), end.report.FailureMessage())
			} else {
				g.Expect(end.report.FailureMessage() + end.report.Failure.ForwardedPanic).To(ContainSubstring(s.fails))
			}
			g.Expect(end.report.AdditionalFailures).To(BeEmpty())
			g.Expect(end.satisfied).To(BeTrue(), "something expected of the rig was not done")
			if s.err == nil {
				g.Expect(end.err).NotTo(HaveOccurred())
			} else {
				g.Expect(end.err).To(MatchError(s.err))
			}
			g.Expect(end.trouble).To(Equal(s.trouble))
			g.Expect(end.stage.undos).To(Equal(s.undos))
			g.Expect(end.stage.closed).To(Equal(s.closed))
		})
	}
}
