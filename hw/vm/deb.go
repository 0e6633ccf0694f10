package vm

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// unpack writes the files of a package that keep wants into dir, symbolic links as they are. Paths have no leading
// slash, and those of the folders that Debian merged into /usr are given as usr/….
func unpack(ctx context.Context, d deb, dir string, keep func(path string) bool) error {
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", d.path)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = untar(out, dir, keep)
	_, _ = io.Copy(io.Discard, out)
	if waitErr := cmd.Wait(); waitErr != nil {
		err = errors.Join(fmt.Errorf("%w: %s", waitErr, strings.TrimSpace(problems.String())), err)
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", d.path, err)
	}
	return nil
}

func untar(r io.Reader, dir string, keep func(path string) bool) error {
	archive := tar.NewReader(r)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := mergedUsr(strings.TrimPrefix(path.Clean("/"+h.Name), "/"))
		if h.Typeflag == tar.TypeDir || !keep(name) {
			continue
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeSymlink:
			if err := os.Symlink(h.Linkname, file); err != nil {
				return err
			}
		case tar.TypeReg:
			if err := writeFile(file, archive, os.FileMode(h.Mode).Perm()); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is of type %q: want a file or a symbolic link", h.Name, h.Typeflag)
		}
	}
}

func mergedUsr(name string) string {
	for _, top := range []string{"lib/", "lib64/", "bin/", "sbin/"} {
		if strings.HasPrefix(name, top) {
			return "usr/" + name
		}
	}
	return name
}

func writeFile(name string, r io.Reader, mode os.FileMode) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
