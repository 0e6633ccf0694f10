package vm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// defaultCache is where packages, kernels and saved states are kept between runs.
func defaultCache() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "joinmcast"), err
}

// lockPoll is how often a lock held by another run is tried again.
const lockPoll = 50 * time.Millisecond

// lock takes an advisory lock on a file, which ends with the process at the latest.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = f.Close()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// cached makes a folder of the cache unless it is there and good: another run that makes it at the same time is waited
// for, and what fill does not finish is never seen.
func cached(ctx context.Context, dir string, good func() bool, fill func(dir string) error) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	unlock, err := lock(ctx, dir+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if exists(dir) && good() {
		return nil
	}
	partial := dir + ".partial"
	if err := errors.Join(os.RemoveAll(dir), os.RemoveAll(partial)); err != nil {
		return err
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return err
	}
	if err := fill(partial); err != nil {
		_ = os.RemoveAll(partial)
		return err
	}
	return os.Rename(partial, dir)
}

// replaceFile writes a file that others never see half written.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".partial-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// whole is the good of folders that cannot be told to be damaged.
func whole() bool { return true }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// hashOf is the SHA-256 of a text, in hexadecimal.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
