package main

import (
	"context"
	"fmt"
	"time"
)

// awaitEvery is how often await looks. The kernel announces none of what is awaited here to a file descriptor.
const awaitEvery = 2 * time.Millisecond

// awaitWithin is the longest that anything awaited may take; a slow emulated guest stays far below it.
const awaitWithin = 20 * time.Second

// await returns when shown does. What completes "the kernel does not show …".
func await(ctx context.Context, what string, shown func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, awaitWithin)
	defer cancel()
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	for !shown() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the kernel does not show %s within %s", what, awaitWithin)
		case <-tick.C:
		}
	}
	return nil
}
