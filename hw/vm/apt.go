package vm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// suite is a Debian suite's packages, fetched by the host's own apt without touching the host: apt gets its own lists,
// cache and package status, so it also checks signatures and sums.
type suite struct {
	name     string
	dir      string // of this suite in the cache
	progress func(string)
}

// indexFresh is how long a suite's index is used before apt is asked for a newer one.
const indexFresh = 24 * time.Hour

// openSuite brings the suite's index up to date. A mirror out of reach is no error while an earlier index is there.
func openSuite(ctx context.Context, cache, name string, progress func(string)) (*suite, error) {
	s := &suite{name: name, dir: filepath.Join(cache, "packages", name), progress: progress}
	for _, tool := range []string{"apt-get", "apt-cache", "dpkg-deb"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("suite %s: %s is not installed, so no Debian package can be fetched: give a path instead",
				name, tool)
		}
	}
	for _, dir := range []string{"lists/partial", "archives/partial"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o755); err != nil {
			return nil, err
		}
	}
	unlock, err := lock(ctx, filepath.Join(s.dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	stamp := filepath.Join(s.dir, "updated")
	info, err := os.Stat(stamp)
	if err == nil && time.Since(info.ModTime()) < indexFresh {
		return s, nil
	}
	haveIndex := err == nil
	if err := s.update(ctx); err != nil {
		if haveIndex && ctx.Err() == nil {
			progress(fmt.Sprintf("suite %s: no newer index, using the one of %s", name, info.ModTime().Format(time.DateOnly)))
			return s, nil
		}
		return nil, err
	}
	return s, errors.Join(os.RemoveAll(filepath.Join(s.dir, "answers")), os.WriteFile(stamp, nil, 0o644))
}

func (s *suite) update(ctx context.Context) error {
	s.progress("fetching the package index of " + s.name)
	mirrors, err := hostMirrors(ctx)
	if err != nil {
		return err
	}
	sources := sourceLines(s.name, mirrors, debianKeyring())
	if err := s.configure(sources); err != nil {
		return err
	}
	_, err = s.run(ctx, "apt-get", "update", "--error-on=any")
	if err != nil && len(sources) > 1 && ctx.Err() == nil {
		// Not every suite has security updates, and not everywhere: sid never does.
		if err := s.configure(sources[:1]); err != nil {
			return err
		}
		_, err = s.run(ctx, "apt-get", "update", "--error-on=any")
	}
	if err != nil {
		return fmt.Errorf("suite %s cannot be read from this host's Debian mirror (it may have moved to an archive: set "+
			"JOINMCAST_MIRROR to a mirror that has it): %w", s.name, err)
	}
	return nil
}

// configure writes what options names.
func (s *suite) configure(sources []string) error {
	return errors.Join(
		os.WriteFile(filepath.Join(s.dir, "sources.list"), []byte(strings.Join(sources, "\n")+"\n"), 0o644),
		os.WriteFile(filepath.Join(s.dir, "status"), nil, 0o644),
	)
}

// options go over the host's configuration, of which proxies and the like stay in force. They are arguments because a
// file of APT_CONFIG is read before the host's own.
func (s *suite) options() []string {
	in := func(name string) string { return filepath.Join(s.dir, name) }
	var args []string
	for _, option := range [][2]string{
		{"Dir::Etc::sourcelist", in("sources.list")},
		{"Dir::Etc::sourceparts", "/dev/null"},
		{"Dir::Etc::preferences", "/dev/null"},
		{"Dir::Etc::preferencesparts", "/dev/null"},
		{"Dir::State", s.dir},
		{"Dir::State::status", in("status")},
		{"Dir::Cache", s.dir},
		{"Dir::Cache::pkgcache", in("pkgcache.bin")}, // images of containers turn these off, at a second an invocation
		{"Dir::Cache::srcpkgcache", in("srcpkgcache.bin")},
		{"APT::Architecture", "amd64"},
		{"APT::Architectures", "amd64"},
		{"APT::Sandbox::User", "root"}, // the default user may not write into a user's cache
		{"Acquire::Languages", "none"},
		{"Acquire::IndexTargets::deb::DEP-11::DefaultEnabled", "false"},
	} {
		args = append(args, "-o", option[0]+"="+option[1])
	}
	return args
}

// run runs one of apt's programs with the suite's configuration, and returns its output. The error is what apt said.
func (s *suite) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, append(s.options(), args...)...)
	cmd.Dir = filepath.Join(s.dir, "archives")
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, aptErrors(problems.String()))
	}
	return out.String(), nil
}

// aptErrors joins the lines that apt marks as errors into one.
func aptErrors(text string) string {
	var errs []string
	for line := range strings.Lines(text) {
		if message, ok := strings.CutPrefix(strings.TrimSpace(line), "E: "); ok {
			errs = append(errs, message)
		}
	}
	return strings.Join(errs, "; ")
}

// ask runs apt-cache, whose answers stay the same until the next index and are kept until then: apt takes a good part
// of a second for each, on a busy machine longer than a restored pair needs.
func (s *suite) ask(ctx context.Context, args ...string) (string, error) {
	file := filepath.Join(s.dir, "answers", hashOf(strings.Join(args, " "))[:16])
	if answer, err := os.ReadFile(file); err == nil {
		return string(answer), nil
	}
	answer, err := s.run(ctx, "apt-cache", args...)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	return answer, replaceFile(file, []byte(answer))
}

// closure lists a package and what it depends on, as far as keep says.
func (s *suite) closure(ctx context.Context, pkg string, keep func(name string) bool) ([]string, error) {
	out, err := s.ask(ctx, "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks",
		"--no-replaces", "--no-enhances", pkg)
	if err != nil {
		return nil, s.missing(pkg)
	}
	var names []string
	for line := range strings.Lines(out) {
		name := strings.TrimRight(line, "\n")
		if !strings.HasPrefix(name, " ") && !strings.HasPrefix(name, "<") && keep(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, s.missing(pkg)
	}
	return names, nil
}

func (s *suite) missing(pkg string) error {
	return fmt.Errorf("suite %s has no package %s on this host's Debian mirror", s.name, pkg)
}

// deb is a fetched package.
type deb struct {
	name, version, path string
}

// fetch fetches packages, the first of each row of alternatives that the suite has.
func (s *suite) fetch(ctx context.Context, rows ...[]string) ([]deb, error) {
	unlock, err := lock(ctx, filepath.Join(s.dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	debs := make([]deb, 0, len(rows))
	for _, alternatives := range rows {
		d, err := s.candidate(ctx, alternatives)
		if err != nil {
			return nil, err
		}
		if !exists(d.path) {
			s.progress(fmt.Sprintf("fetching %s %s from %s", d.name, d.version, s.name))
			if _, err := s.run(ctx, "apt-get", "download", d.name+"="+d.version); err != nil {
				return nil, fmt.Errorf("suite %s: package %s cannot be fetched: %w", s.name, d.name, err)
			}
			if !exists(d.path) {
				return nil, fmt.Errorf("suite %s: apt fetched %s under another name than %s", s.name, d.name, d.path)
			}
		}
		debs = append(debs, d)
	}
	return debs, nil
}

// candidate is the newest version of the first package that the suite has.
func (s *suite) candidate(ctx context.Context, alternatives []string) (deb, error) {
	for _, name := range alternatives {
		out, err := s.ask(ctx, "show", "--no-all-versions", name)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return deb{}, err
		}
		field := controlFields(out)
		if err != nil || field["Version"] == "" {
			continue
		}
		d := deb{name: name, version: field["Version"]}
		// apt names the file so, with the colon of an epoch escaped.
		file := name + "_" + strings.ReplaceAll(d.version, ":", "%3a") + "_" + field["Architecture"] + ".deb"
		d.path = filepath.Join(s.dir, "archives", file)
		return d, nil
	}
	return deb{}, s.missing(strings.Join(alternatives, " or "))
}

// controlFields are the one-line fields of the first paragraph of a Debian control file.
func controlFields(text string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			break
		}
		if key, value, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, " ") {
			fields[key] = strings.TrimSpace(value)
		}
	}
	return fields
}

// kernelPackage tells the packages of one version of the kernel, which has come in one piece and in several, from those
// that only depend on them.
func kernelPackage(name string) bool {
	for _, prefix := range []string{"linux-image-", "linux-base-", "linux-binary-", "linux-modules-"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return true
		}
	}
	return false
}
