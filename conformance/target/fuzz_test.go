package target_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"

	"joinmcast/conformance/target"
	"joinmcast/spec"
)

// noVLANs is what is not written back: of a stack that is not simulated even an empty list is refused.
const noVLANs = "vlans: []\n"

// number is a field that is written as a number and read by a name.
var number = regexp.MustCompile(`(?m)^( +)(errno|type): (-?\d+)$`)

// writtenBack is a target as its file has it.
func writtenBack(t *testing.T, of *target.Target) []byte {
	t.Helper()
	text, err := yaml.Marshal(of)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	text = bytes.Replace(text, []byte(noVLANs), nil, 1)
	return number.ReplaceAllFunc(text, func(line []byte) []byte {
		m := number.FindSubmatch(line)
		n, err := strconv.Atoi(string(m[3]))
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		name := spec.EventType(n).String()
		if string(m[2]) == "errno" {
			name = spec.Errno(n).Name()
		}
		return []byte(string(m[1]) + string(m[2]) + ": " + name)
	})
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../../fixtures/targets/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no target to begin with: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("stack: sim\ncall_deadline: 2s\nspec_deadline: 20s\nfaults:\n" +
		"  - {host: 1, fail: {command: JOIN_MCAST, nth: 3, errno: ENOMEM}}\n" +
		"  - {event: {type: MULTICAST_JOIN, nth: 1, drop: true}}\n  - {memory: {function: calloc, skip: 2}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		it, err := target.Parse("x.yaml", []byte(text), target.Overrides{})
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				g.Expect(line).To(Or(HavePrefix("x.yaml:"), HavePrefix("target x.yaml: ")))
			}
			return
		}
		again, err := target.Parse("x.yaml", writtenBack(t, it), target.Overrides{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(cmp.Diff(it, again, cmpopts.EquateEmpty())).To(BeEmpty())
	})
}
