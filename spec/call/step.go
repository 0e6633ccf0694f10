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

// Promise puts the handle that step k will give, one of spec.FromStep, into its answer, for steps that follow. Answers
// that hold no handle stay as they are.
func Promise(answer any, k int) {
	switch a := answer.(type) {
	case *CreateEventChannelAnswer:
		a.Channel = spec.FromStep[spec.Channel](k)
	case *CreateIDAnswer:
		a.ID = spec.FromStep[spec.ID](k)
	case *CreateEPAnswer:
		a.ID = spec.FromStep[spec.ID](k)
	case *CreateQPAnswer:
		a.QP = spec.FromStep[spec.QP](k)
	case *CreateAHAnswer:
		a.AH = spec.FromStep[spec.AH](k)
	case *GetEventAnswer:
		a.Event.Ref = spec.FromStep[spec.EventRef](k)
	case *OpenRawAnswer:
		a.File = spec.FromStep[spec.RawFile](k)
	}
}
