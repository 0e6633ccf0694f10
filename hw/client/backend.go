package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"joinmcast/hw/wire"
	"joinmcast/spec"
)

// Backend is a live stack: one host program a host.
type Backend struct {
	nonce string
	hosts []*host
}

// Hosts are the hosts, in the order they were dialled; those that may be changed are spec.Configurers. A host that
// sleeps is taken to be like the first one.
func (b *Backend) Hosts() []spec.Host {
	hosts := make([]spec.Host, len(b.hosts))
	for i, h := range b.hosts {
		hosts[i] = h
		about := h.about
		if h.conn.Conn == nil {
			about = b.hosts[0].about
		}
		if about.Capabilities[spec.Configure].Has {
			hosts[i] = ownHost{h}
		}
	}
	return hosts
}

// Environment reads what is judged from the hosts' kernels and from an agent on each.
func (b *Backend) Environment(ctx context.Context) (spec.Environment, error) {
	env := spec.Environment{Stack: "linux", Nonce: b.nonce, Transport: b.hosts[0].about.Transport}
	detectors := map[string]bool{}
	if err := b.survey(ctx); err != nil {
		return spec.Environment{}, err
	}
	for _, h := range b.hosts {
		part, err := h.environment(ctx)
		if err != nil {
			return spec.Environment{}, err
		}
		if part.Nonce != b.nonce {
			return spec.Environment{}, fmt.Errorf("%s: its environment has nonce %q, want %q: it serves another run",
				h.conn.Name, part.Nonce, b.nonce)
		}
		if h.about.Transport != env.Transport {
			return spec.Environment{}, fmt.Errorf("%s speaks %s and %s speaks %s: want one transport",
				b.hosts[0].conn.Name, env.Transport, h.conn.Name, h.about.Transport)
		}
		for _, d := range h.about.Detectors {
			detectors[d] = true
		}
		env.Hosts = append(env.Hosts, part)
	}
	env.Detectors = slices.Sorted(maps.Keys(detectors))
	return env, nil
}

// Capabilities are what all hosts have: what their host programs claim, and what an agent on each has tried.
func (b *Backend) Capabilities(ctx context.Context) (spec.Capabilities, error) {
	all := spec.Capabilities{}
	if err := b.survey(ctx); err != nil {
		return nil, err
	}
	for _, h := range b.hosts {
		for _, part := range []spec.Capabilities{h.about.Capabilities, h.surveyed.capabilities()} {
			for c, e := range part {
				if e.How == "" {
					return nil, fmt.Errorf("%s says of capability %q that it is %s, and not how that is known", h.conn.Name, c,
						map[bool]string{true: "there", false: "lacking"}[e.Has])
				}
				e.How = h.conn.Name + ": " + e.How
				if known, ok := all[c]; ok {
					e = spec.Evidence{Has: known.Has && e.Has, How: known.How + "; " + e.How}
				}
				all[c] = e
			}
		}
	}
	names := make([]string, len(b.hosts))
	for i, h := range b.hosts {
		names[i] = h.conn.Name
	}
	all[spec.TwoHosts] = spec.Evidence{Has: len(names) > 1, How: "connected to " + strings.Join(names, ", ")}
	return all, nil
}

// survey surveys all hosts at once.
func (b *Backend) survey(ctx context.Context) error {
	failures := make([]error, len(b.hosts))
	var all sync.WaitGroup
	for i, h := range b.hosts {
		all.Go(func() { failures[i] = h.survey(ctx) })
	}
	all.Wait()
	return errors.Join(failures...)
}

// Renew begins another world on guests that the last one left as they were, and says what is otherwise, a line each;
// then the world is no good for another. A guest that still sleeps is as it was.
func (b *Backend) Renew(ctx context.Context) (spoiled []string, err error) {
	for _, h := range b.hosts {
		if !h.awake() {
			continue
		}
		var a wire.RenewAnswer
		if err := h.request(ctx, wire.HostRenew, nil, &a); err != nil {
			return nil, err
		}
		for _, what := range a.Spoiled {
			spoiled = append(spoiled, h.conn.Name+": "+what)
		}
	}
	return spoiled, nil
}

// Close ends the connections; a host program ends its agents then.
func (b *Backend) Close(context.Context) error {
	for _, h := range b.hosts {
		h.close()
	}
	return nil
}
