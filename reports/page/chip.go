package page

import (
	"fmt"
	"html/template"
	"strings"

	"joinmcast/spec/verdict"
)

// look is how a word is told without reading it: by a mark, and by a tone that the style sheet colours.
type look struct{ mark, tone string }

// Tones of the style sheet.
const (
	good = "good"
	bad  = "bad"
	warn = "warn" // right only as long as somebody watches it
	info = "info"
	mute = "mute" // nothing was judged
)

// judgements are the looks of verdicts and statuses.
var judgements = map[string]look{
	string(verdict.Pass):   {"✓", good},
	string(verdict.Known):  {"≈", warn},
	string(verdict.Fail):   {"×", bad},
	string(verdict.Fixed):  {"↑", bad},
	string(verdict.Hang):   {"∞", bad},
	string(verdict.Crash):  {"†", bad},
	string(verdict.Error):  {"!", bad},
	string(verdict.Skip):   {"–", mute},
	string(verdict.NA):     {"·", mute},
	string(verdict.NotRun): {"○", mute},

	string(verdict.Conformant):      {"✓", good},
	string(verdict.WithKnownIssues): {"≈", warn},
	string(verdict.Partial):         {"–", warn},
	string(verdict.Selection):       {"○", info},
	string(verdict.NonConformant):   {"×", bad},
	string(verdict.NotQualified):    {"!", bad},
}

// changes are the looks of what a difference of two reports consists of.
var changes = map[string]look{
	"REGRESSED":   {"↓", bad},
	"LOST":        {"–", bad},
	"CHANGED":     {"≠", warn},
	"FIXED":       {"↑", good},
	"GAINED":      {"+", good},
	"NEW":         {"*", info},
	"GONE":        {"○", info},
	"ENVIRONMENT": {"≠", mute},
}

// functions are those that a body has beside html/template's own.
var functions = template.FuncMap{
	"chip":   func(word any) template.HTML { return chip(judgements, word) },
	"change": func(word any) template.HTML { return chip(changes, word) },
	"mark":   func(word any) string { return lookOf(judgements, word).mark },
	"tone":   func(word any) string { return lookOf(judgements, word).tone },
	"code":   code,
}

// lookOf is a word's look; one that is not in the list, or lists, is quiet.
func lookOf(looks map[string]look, word any) look {
	if found, ok := looks[fmt.Sprint(word)]; ok {
		return found
	}
	return look{"", mute}
}

func chip(looks map[string]look, word any) template.HTML {
	found := lookOf(looks, word)
	mark := ""
	if found.mark != "" {
		mark = `<span class="mark" aria-hidden="true">` + found.mark + `</span>`
	}
	word = template.HTMLEscapeString(fmt.Sprint(word))
	text := fmt.Sprintf(`<span class="chip %s">%s%s</span>`, found.tone, mark, word)
	return template.HTML(text) //nolint:gosec // escaped
}

func code(text string) template.HTML {
	class := ""
	if !strings.Contains(text, "\n") {
		class = ` class="line"` // a command is wrapped, a program is not
	}
	text = template.HTMLEscapeString(text)
	text = `<div class="code"><pre` + class + ` tabindex="0">` + text + `</pre></div>`
	return template.HTML(text) //nolint:gosec // escaped
}
