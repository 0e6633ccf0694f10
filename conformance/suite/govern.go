package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// governed refuses an It that does not carry exactly one id of the law, and gives the others their time-out.
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
	ids := lawful(labels)
	if len(ids) != 1 {
		return text, args, []error{fmt.Errorf(
			"the spec %q carries %d requirement ids, want one: give it a literal Label such as \"JM-EVT-03\"", text, len(ids))}
	}
	q, ok := r.law.Find(ids[0])
	if !ok {
		return text, args, []error{fmt.Errorf("the spec %q carries %s, which the law does not have: see `make list`", text,
			ids[0])}
	}
	if q.WhyNot != "" || q.JudgedBySuite() {
		return text, args, []error{fmt.Errorf("the spec %q carries %s, which the law says no spec of its own judges", text,
			ids[0])}
	}
	return text, append(args, ginkgo.SpecTimeout(r.target.SpecDeadline)), nil
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
