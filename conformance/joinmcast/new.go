package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"joinmcast/spec/catalogue"
)

//go:embed new.go.tmpl
var specText string

var specTemplate = template.Must(template.New("spec").Parse(specText))

// newCommand begins a requirement in the checkout below root: its entry in the law, its line in SPEC.md, and a spec
// that fails until somebody writes it.
func newCommand(root, id string) error {
	dir := filepath.Join(root, "spec", "catalogue")
	law, err := catalogue.Parse(os.DirFS(dir)) // as it stands on disk, not as it was built in
	if err != nil {
		return err
	}
	file, entry, err := law.Draft(id)
	if err != nil {
		return err
	}
	parts := strings.Split(id, "-")
	spec := filepath.Join(root, "conformance", strings.ToLower(parts[1]+parts[2])+".go")
	if _, err := os.Stat(spec); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is there already; move what it has to the file it belongs to", spec)
	}
	var code bytes.Buffer
	if err := specTemplate.Execute(&code, map[string]string{"ID": id, "Chapter": parts[1]}); err != nil {
		return err
	}
	entries := filepath.Join(dir, file)
	text, err := os.ReadFile(entries)
	if err != nil {
		return err
	}
	if err := os.WriteFile(entries, append(text, entry...), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(spec, code.Bytes(), 0o644); err != nil {
		return err
	}
	if law, err = catalogue.Parse(os.DirFS(dir)); err != nil {
		return err
	}
	if err := writeSpec(law, filepath.Join(root, "spec", "SPEC.md")); err != nil {
		return err
	}
	q, _ := law.Find(id)
	fmt.Printf(`%s:%d: what it says, its source, and where it was seen; its level, layer, transports and needs
%s: its spec, which fails until it judges that
make generate renews spec/SPEC.md; make test tells what is missing
`, entries, q.Line, spec)
	return nil
}
