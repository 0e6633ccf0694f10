package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	_ "joinmcast/conformance" // the specs
	"joinmcast/fixtures"
	"joinmcast/spec/catalogue"
	"joinmcast/spec/verdict"
)

// explain writes one requirement with the specs that judge it, its known issues, and where all three stand.
func explain(w io.Writer, id string) error {
	law, err := catalogue.Load()
	if err != nil {
		return err
	}
	files, err := fixtures.KnownIssues()
	if err != nil {
		return err
	}
	issues, err := verdict.ParseIssues(law.Find, files...)
	if err != nil {
		return err
	}
	specs, issues := specsOf(id), issues.Of(id)
	return law.Explain(w, id,
		catalogue.Row{Name: "specs", Values: specTexts(specs)},
		catalogue.Row{Name: "known", Values: issueTexts(issues, time.Now())},
		catalogue.Row{Name: "files", Values: paths(law, id, specs, issues)})
}

// specsOf are the specs that carry the id, in the order of the sources.
func specsOf(id string) []types.SpecReport {
	all := ginkgo.PreviewSpecs("the law").SpecReports
	return slices.DeleteFunc(all, func(s types.SpecReport) bool { return !slices.Contains(s.Labels(), id) })
}

func specTexts(specs []types.SpecReport) []string {
	var texts []string
	for _, s := range specs {
		at := s.LeafNodeLocation
		texts = append(texts, fmt.Sprintf("%s:%d: %s", fromModule(at.FileName), at.LineNumber, s.LeafNodeText))
	}
	return texts
}

func issueTexts(issues verdict.Issues, now time.Time) []string {
	var texts []string
	for _, k := range issues {
		during := ""
		if k.During != "" {
			during = " after specs of " + k.During
		}
		texts = append(texts,
			fmt.Sprintf("%s: %s%s, where %s; %d days left", k.ID, k.Symptom, during, k.When, k.DaysLeft(now)),
			"  "+k.Reference)
	}
	return texts
}

// paths are those of the catalogue, of the specs and of the known issues, from the module's root.
func paths(law *catalogue.Catalogue, id string, specs []types.SpecReport, issues verdict.Issues) []string {
	q, ok := law.Find(id)
	if !ok {
		return nil
	}
	all := []string{fmt.Sprintf("%s:%d", path.Join("spec/catalogue", q.File), q.Line)}
	for _, s := range specs {
		all = append(all, fromModule(s.LeafNodeLocation.FileName))
	}
	for _, k := range issues {
		all = append(all, fmt.Sprintf("%s:%d", k.File, k.Line))
	}
	return slices.Compact(all)
}

// fromModule makes the path of a source of the suite relative to the module.
func fromModule(source string) string {
	const suite = "conformance/"
	if i := strings.LastIndex(source, suite); i >= 0 {
		return source[i:]
	}
	return source
}
