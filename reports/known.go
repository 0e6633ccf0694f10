package reports

import (
	"fmt"
	"slices"
	"time"

	"joinmcast/spec"
	"joinmcast/spec/verdict"
)

// KnownIssue is a known issue that a requirement of the report names: it shows it, or should and does not.
type KnownIssue struct {
	ID          string     `json:"id"`
	Requirement string     `json:"requirement"`
	During      string     `json:"during,omitempty"` // of chapter CLEAN: whose specs leave it; empty: any
	Layer       spec.Layer `json:"layer"`
	When        string     `json:"when"`    // which stacks have it
	Symptom     string     `json:"symptom"` // how the requirement fails
	Reference   string     `json:"reference"`
	Owner       string     `json:"owner"`
	Added       string     `json:"added"`   // a date, as in 2026-11-29
	Expires     string     `json:"expires"` // the last day on which it holds
	At          string     `json:"at"`      // file:line of the entry
}

// DaysLeft is for how many days the issue still holds, today included; 0 when it has expired.
func (k KnownIssue) DaysLeft(now time.Time) int {
	expires, err := time.Parse(time.DateOnly, k.Expires)
	if err != nil {
		return 0
	}
	return verdict.KnownIssue{Expires: expires}.DaysLeft(now)
}

// named are those of the issues that the findings name, in their order.
func named(issues verdict.Issues, findings []RequirementFinding) []KnownIssue {
	var ids []string
	for _, f := range findings {
		for _, s := range f.Specs {
			ids = append(ids, s.KnownIssue)
		}
	}
	var those []KnownIssue
	for _, k := range issues {
		if slices.Contains(ids, k.ID) {
			those = append(those, KnownIssue{
				ID: k.ID, Requirement: k.Requirement, During: k.During, Layer: k.Layer, When: k.When.String(),
				Symptom: k.Symptom.String(), Reference: k.Reference, Owner: k.Owner,
				Added: k.Added.Format(time.DateOnly), Expires: k.Expires.Format(time.DateOnly),
				At: fmt.Sprintf("%s:%d", k.File, k.Line),
			})
		}
	}
	return those
}
