package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// governed gives an It its time-out; a suite with one that does not carry exactly one id of the law does not begin.
func (r *run) governed(kind types.NodeType, _ ginkgo.Offset, text string, args []any) (string, []any, []error) {
	if !kind.Is(types.NodeTypeIt) {
		return text, args, nil
	}
	var labels []string
	for _, arg := range args {
		if l, ok := arg.(ginkgo.Labels); ok {
			labels = append(labels, l...)
		}
	}
	if err := r.governs(labels); err != nil {
		refuse(fmt.Errorf("the spec %q carries %w", text, err)) // Ginkgo's own exit would say "not conformant"
	}
	return text, append(args, ginkgo.SpecTimeout(r.target.SpecDeadline)), nil
}

// governs complains about labels that are not those of a spec of the law.
func (r *run) governs(labels []string) error {
	ids := lawful(labels)
	if len(ids) != 1 {
		return fmt.Errorf("%d requirement ids, want one: give it a literal Label such as \"JM-EVT-03\"", len(ids))
	}
	q, ok := r.law.Find(ids[0])
	if !ok {
		return fmt.Errorf("%s, which the law does not have: see `make list`", ids[0])
	}
	if q.WhyNot != "" || q.JudgedBySuite() {
		return fmt.Errorf("%s, which the law says no spec of its own judges", ids[0])
	}
	return nil
}

// lawful are the labels that look like an id of the law.
func lawful(labels []string) []string {
	return slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return !strings.HasPrefix(l, "JM-") })
}

func requirementOf(labels []string) string {
	if ids := lawful(labels); len(ids) > 0 {
		return ids[0]
	}
	return ""
}
