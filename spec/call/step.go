package call

import (
	"encoding/json"

	"joinmcast/spec"
)

// Step is one call of a spec.Script; args is a pointer to the method's arguments.
func Step(method string, args any) spec.Step {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // the structs of this package always marshal
	}
	return spec.Step{Method: method, Args: text}
}
