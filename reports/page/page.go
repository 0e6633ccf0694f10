// Package page is the look that all of joinmcast's pages share: one HTML file that needs no network, light or dark as
// its reader prefers, readable on a phone, on paper and without JavaScript.
package page

import (
	"embed"
	"html/template"
	"io"
	"strings"
)

//go:embed shell.html filters.html style.css script.js
var files embed.FS

var (
	shell  = template.Must(template.New("shell.html").ParseFS(files, "shell.html"))
	shared = template.Must(template.New("").Funcs(functions).ParseFS(files, "filters.html"))
	style  = template.CSS(read("style.css")) //nolint:gosec // the package's own file
	script = template.JS(read("script.js"))  //nolint:gosec // the package's own file
)

func read(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// Parse parses the body of a page, as html/template does, and panics when it is none: a body is part of the program.
// Text may define templates. Beside html/template's own functions a body has
//
//	{{chip .Verdict}}        a verdict or a status as word and mark, coloured by what it means
//	{{mark .Verdict}}        the mark alone, for a place too small for the word; say the word in its title or aria-label
//	{{tone .Verdict}}        "good", "bad", "warn", "info" or "mute": a CSS class that colours an element as chip would
//	{{change .Class}}        the same as chip for a class of a difference, where FIXED is good news: REGRESSED, LOST, ...
//	{{code .Command}}        text to be copied; the page puts a button beside it
//	{{template "filters" .}} the form of a *Filters
//
// and may use these classes of the style sheet:
//
//	lead      a first paragraph, larger than the rest
//	quiet     words that matter less
//	scroll    around what may be wider than the page, such as a table
//	columns   side by side where there is room, else below each other
//	panel     a framed part
//	mono      identifiers, paths, numbers that are compared
//	facts     of a dl: names left, values right
//
// A details element opens when a link leads into it, and all of them do on paper. Elements with the attribute data-item
// are what the filters hide and the keys j and k go through; one with data-group hides with the last item in it; the
// links in one with data-strip are one stop of the tab key, and arrows go through them.
func Parse(text string) *template.Template {
	body := template.Must(shared.Clone())
	return template.Must(body.New("body").Parse(text))
}

// Write writes one page: a body that Parse gave, executed with data, below the title as its heading.
func Write(w io.Writer, title string, body *template.Template, data any) error {
	var inside strings.Builder
	if err := body.ExecuteTemplate(&inside, "body", data); err != nil {
		return err
	}
	return shell.Execute(w, struct {
		Title  string
		Style  template.CSS
		Script template.JS
		Body   template.HTML
	}{title, style, script, template.HTML(inside.String())}) //nolint:gosec // html/template wrote it
}
