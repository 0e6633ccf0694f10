package reports

import "fmt"

// Stacks that an environment can speak of.
const (
	Simulated = "simulated"
	Linux     = "linux"
)

// Certify refuses a report whose environment was not read from the stack this run was meant for: another kind of stack,
// or a live one that does not give back this run's nonce, as a whole and from every host. The error is one sentence.
func (r *Report) Certify(stack, nonce string) error {
	env := r.Environment
	switch {
	case stack != Simulated && stack != Linux:
		return fmt.Errorf("target %s is stack %q; want %q or %q", r.Target, stack, Simulated, Linux)
	case env.Stack == "":
		return fmt.Errorf("the environment of target %s could not be read, so nothing says what was judged", r.Target)
	case env.Stack != stack:
		return fmt.Errorf("target %s is a %s stack, and the environment comes from a %s one", r.Target, stack, env.Stack)
	case stack == Simulated:
		return nil
	case nonce == "":
		return fmt.Errorf("this run gave target %s no nonce, so nothing shows that the report comes from it", r.Target)
	case len(env.Hosts) == 0:
		return fmt.Errorf("the environment of target %s names no host; want at least the one under test", r.Target)
	case env.Nonce != nonce:
		return fmt.Errorf("target %s gave back nonce %q, and this run's is %q: its answers come from elsewhere",
			r.Target, env.Nonce, nonce)
	}
	for _, h := range env.Hosts {
		if h.Nonce != nonce {
			return fmt.Errorf("host %s of target %s gave back nonce %q, and this run's is %q: its answers come from elsewhere",
				h.Name, r.Target, h.Nonce, nonce)
		}
	}
	return nil
}
