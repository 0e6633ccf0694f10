// Package md writes the Markdown that a pull request shows: tables and collapsed parts, of text that is not Markdown.
package md

import (
	"html"
	"strings"
)

// special are the characters that Markdown reads in the middle of a line.
var special = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`,
	"`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`)

// Escape is text that shows as it is, on one line.
func Escape(text string) string {
	return special.Replace(strings.Join(strings.Fields(text), " "))
}

// Table is a table of plain text, "" when it has no row. A newline of a cell stays one.
func Table(head []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var text strings.Builder
	line := func(cells []string) { text.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	text.WriteString("\n")
	line(escaped(head))
	text.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
	for _, row := range rows {
		line(escaped(row))
	}
	return text.String()
}

func escaped(cells []string) []string {
	var done []string
	for _, cell := range cells {
		lines := strings.Split(cell, "\n")
		for i := range lines {
			lines[i] = Escape(lines[i])
		}
		done = append(done, strings.Join(lines, "<br>"))
	}
	return done
}

// Code is a block of text as it is.
func Code(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n" + fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// Details is Markdown that opens when its summary, which is plain text, is clicked at.
func Details(summary, body string) string {
	return "\n<details><summary>" + html.EscapeString(summary) + "</summary>\n" + body + "\n</details>\n"
}
