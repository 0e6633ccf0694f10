package sim

import (
	"context"
	"errors"

	"joinmcast/spec"
)

var errNotYet = errors.New("not simulated yet")

func (p *process) CreateEP(context.Context, spec.EPAttr) (spec.ID, error)      { return 0, errNotYet }
func (p *process) DestroyEP(context.Context, spec.ID) error                    { return errNotYet }
func (p *process) Listen(context.Context, spec.ID, int) error                  { return errNotYet }
func (p *process) MigrateID(context.Context, spec.ID, spec.Channel) error      { return errNotYet }
func (p *process) IBVDestroyQP(context.Context, spec.QP) error                 { return errNotYet }
func (p *process) Script(context.Context, spec.Script) ([][]spec.Tally, error) { return nil, errNotYet }
