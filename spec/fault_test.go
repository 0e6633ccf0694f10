package spec_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"

	"joinmcast/spec"
)

func readFault(text string) (f spec.Fault, err error) {
	if err = yaml.Unmarshal([]byte(text), &f); err == nil {
		err = f.Check()
	}
	return f, err
}

func TestFaultsAreReadByTheirNames(t *testing.T) {
	g := NewWithT(t)
	g.Expect(readFault("fail: {command: JOIN_MCAST, nth: 3, errno: ENOMEM}")).To(Equal(spec.Fault{
		Fail: &spec.CallFault{Command: "JOIN_MCAST", Nth: 3, Errno: spec.ENOMEM},
	}))
	g.Expect(readFault("event: {type: MULTICAST_JOIN, nth: 1, drop: true}")).To(Equal(spec.Fault{
		Event: &spec.EventFault{Type: spec.MulticastJoin, Nth: 1, Drop: true},
	}))
	g.Expect(readFault("memory: {function: malloc}")).To(Equal(spec.Fault{
		Memory: &spec.MemoryFault{Function: spec.Malloc},
	}))
	g.Expect(readFault("sm: {event: P_Key change}")).To(Equal(spec.Fault{
		SM: &spec.SMFault{Event: spec.PKeyChange},
	}))
	g.Expect(readFault("wire: {lose: 0.1}")).To(Equal(spec.Fault{Wire: &spec.WireFault{Lose: 0.1}}))
}

func TestAFaultThatMeansNothingIsRefusedWithOneSentence(t *testing.T) {
	for text, want := range map[string]string{
		"{}": "the fault is empty; want one of fail, event, memory, sm and wire",
		"{memory: {function: malloc}, wire: {lose: 1}}":   "one fault has memory and wire; want a fault for each",
		"fail: {command: JOIN, nth: 1, errno: EIO}":       `no command is named "JOIN"; known: CREATE_ID, `,
		"fail: {command: BIND, nth: 0, errno: EIO}":       "nth of fail is 0; want 1 for the next BIND",
		"fail: {command: BIND, nth: -1, errno: EIO}":      "nth of fail is -1; want 1 for the next BIND",
		"fail: {command: BIND, nth: 1}":                   "fail has no errno; want one such as ENOMEM",
		"fail: {command: BIND, nth: 1, errno: ENOMEMORY}": `no errno is named "ENOMEMORY"; known: EACCES, `,
		"event: {type: JOIN, nth: 1}":                     `no event is named "JOIN"; known: ADDR_CHANGE, `,
		"event: {type: MULTICAST_JOIN}":                   "nth of event is 0; want 1 for the next MULTICAST_JOIN",
		"memory: {function: realloc}":                     `memory is not asked for by "realloc"; want calloc or malloc`,
		"memory: {function: calloc, skip: -1}":            "skip of memory is -1; want 0 or more",
		"sm: {}":                                          "sm wants one of refuse, silent and event",
		"sm: {silent: true, refuse: 512}":                 "sm wants one of refuse, silent and event",
		"sm: {event: reboot}":                             `named "reboot"; known: client reregister, `,
		"wire: {}":                                        "the wire fault is empty; want lose, ",
		"wire: {lose: 1.5}":                               "lose of wire is 1.5; want a chance of 0 to 1",
		"wire: {lose: .nan}":                              "lose of wire is NaN; want a chance of 0 to 1",
		"wire: {delay: -1}":                               "delay of wire is -1; want 0 or more",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := readFault(text)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
		})
	}
}
