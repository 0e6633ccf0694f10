package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// guestRoot is one rdma-core that a guest holds, with the agent that runs on it.
type guestRoot struct {
	program program
	version string
}

// findRoots finds the agents' roots of a guest, by the names of their folders.
func findRoots() (map[string]guestRoot, error) {
	folders, err := os.ReadDir(guestRoots)
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, errors.New(guestRoots + " holds no rdma-core")
	}
	roots := map[string]guestRoot{}
	for _, f := range folders {
		dir := filepath.Join(guestRoots, f.Name())
		env, err := os.ReadFile(filepath.Join(dir, guestEnv))
		if err != nil {
			return nil, err
		}
		roots[f.Name()] = guestRoot{
			program: program{root: dir, path: guestAgent, mischief: guestPreload, env: lines(string(env))},
			version: trimmed(filepath.Join(dir, guestVersion)),
		}
	}
	return roots, nil
}

// choose makes agents run on one of the rdma-cores that a guest holds; without a name all stays as it is.
func (h *host) choose(name string) error {
	if name == "" {
		return nil
	}
	root, ok := h.others[name]
	if !ok {
		return fmt.Errorf("rdma-core %q: this host holds no such root", name)
	}
	h.program, h.version = root.program, root.version
	h.agents.run(root.program)
	return nil
}

// run makes a program that of every agent to be started.
func (s *agents) run(p program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.program = p
}
