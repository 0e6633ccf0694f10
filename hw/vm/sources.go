package vm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// mirrors are the roots of Debian's archives as this host reaches them.
type mirrors struct {
	main     string
	security string // empty when the host's apt names none
}

// hostMirrors are those of the host's own apt configuration; JOINMCAST_MIRROR replaces the main one on a host without
// Debian's apt sources, or for a suite that has moved.
func hostMirrors(ctx context.Context) (mirrors, error) {
	if m := os.Getenv("JOINMCAST_MIRROR"); m != "" {
		return mirrors{main: m}, nil
	}
	cmd := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)", "Identifier: Packages")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return mirrors{}, fmt.Errorf("apt-get indextargets: %w: %s", err, aptErrors(problems.String()))
	}
	m := mirrorsOf(string(out))
	if m.main == "" {
		return m, errors.New("this host's apt names no Debian mirror: set JOINMCAST_MIRROR to one")
	}
	return m, nil
}

// mirrorsOf reads lines of a release's label, a bar and an address; the first of each label counts.
func mirrorsOf(indextargets string) mirrors {
	var m mirrors
	for line := range strings.Lines(indextargets) {
		label, uri, _ := strings.Cut(strings.TrimSpace(line), "|")
		switch {
		case label == "Debian" && m.main == "":
			m.main = uri
		case label == "Debian-Security" && m.security == "":
			m.security = uri
		}
	}
	return m
}

// sourceLines are a suite's lines of a sources.list, its main archive first. An empty keyring leaves the trust to the
// host's apt.
func sourceLines(suite string, m mirrors, keyring string) []string {
	options := "arch=amd64"
	if keyring != "" {
		options += " signed-by=" + keyring
	}
	list := []string{fmt.Sprintf("deb [%s] %s %s main", options, m.main, suite)}
	if m.security != "" {
		list = append(list, fmt.Sprintf("deb [%s] %s %s-security main", options, m.security, suite))
	}
	return list
}

// debianKeyring is the keyring of Debian's package debian-archive-keyring, which knows every living suite; empty when
// the host has none.
func debianKeyring() string {
	const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
	if !exists(keyring) {
		return ""
	}
	return keyring
}
