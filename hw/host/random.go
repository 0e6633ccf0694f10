package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// reseedCRNG is RNDRESEEDCRNG of linux/random.h.
const reseedCRNG = 0x5207

// reseed mixes bytes into the kernel's pool and makes its generator draw from the pool again.
func reseed(entropy []byte) error {
	f, err := os.OpenFile("/dev/urandom", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(entropy); err != nil {
		return fmt.Errorf("mix into /dev/urandom: %w", err)
	}
	if err := unix.IoctlSetInt(int(f.Fd()), reseedCRNG, 0); err != nil && !errors.Is(err, unix.ENODATA) {
		return fmt.Errorf("reseed /dev/urandom: %w", err)
	}
	return nil
}
