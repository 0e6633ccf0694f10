package main

import (
	"context"
	"fmt"
	"os"

	"joinmcast/conformance/walk"
)

// weightsFile is what `joinmcast walk -fit` writes, in the project's folder.
const weightsFile = "conformance/walk/weights.go"

// fit looks for weights by walks on the simulated stack, and prints a line for each round.
func (c walking) fit(ctx context.Context) error {
	const rounds, walks = 24, 2000
	if _, err := os.Stat(weightsFile); err != nil {
		return fmt.Errorf("%w: want to be in the project's folder", err)
	}
	grounds, end, err := c.grounds(ctx, "sim")
	if err != nil {
		return err
	}
	defer end()
	fit := walk.Fit{From: walk.Fitted(), Grounds: grounds, Seed: c.seed, Rounds: rounds, Walks: walks}
	weights, err := fit.Weights(ctx, func(r walk.Rarest) {
		fmt.Printf("%d walks from seed %d: least is %s with %.2f %% of the steps, %+.1f standard deviations\n",
			walks, c.seed, r.Call, 100*r.Share, r.Margin)
		c.seed += walks
	})
	if err != nil {
		return err
	}
	return os.WriteFile(weightsFile, weights.Source(), 0o644)
}
