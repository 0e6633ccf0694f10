package reports

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed report.schema.json
var schemaText []byte

// SchemaText is the JSON Schema of report.json.
func SchemaText() []byte { return bytes.Clone(schemaText) }

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("report.schema.json", document); err != nil {
		return nil, err
	}
	return compiler.Compile("report.schema.json")
})

// Validate tells whether text is a report of this schema. The error names each place that breaks it, one a line.
func Validate(text []byte) error {
	schema, err := compiled()
	if err != nil {
		return fmt.Errorf("report.schema.json is no schema: %w", err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("not a report, for it is not JSON: %w", err)
	}
	err = schema.Validate(document)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return errors.Join(places(invalid)...)
	}
	return err
}

// places turns the tree of causes into one error for each leaf.
func places(e *jsonschema.ValidationError) []error {
	if len(e.Causes) == 0 {
		where := "/" + strings.Join(e.InstanceLocation, "/")
		what := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		return []error{fmt.Errorf("not a %s report: at %s, %s", Schema, where, what)}
	}
	var errs []error
	for _, cause := range e.Causes {
		errs = append(errs, places(cause)...)
	}
	return errs
}
