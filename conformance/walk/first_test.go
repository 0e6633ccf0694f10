package walk_test

import (
	"joinmcast/conformance/target"
	"joinmcast/conformance/walk"
	"os"
	"strconv"
	"testing"
)

func TestTry(t *testing.T) {
	ctx := t.Context()
	open := func(name string) *walk.Ground {
		tg, err := target.Load(name, target.Overrides{Programs: "/work/wt/D/bin"})
		if err != nil {
			t.Fatal(err)
		}
		lab, err := tg.Open(ctx, "n", func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { lab.Close(ctx) })
		return walk.NewGround(lab, tg.Stack == target.Sim)
	}
	a, b := open("sim"), open(os.Getenv("B"))
	n, _ := strconv.Atoi(os.Getenv("N"))
	s, _ := strconv.Atoi(os.Getenv("S"))
	counts := map[string]int{}
	bad := 0
	for i := range n {
		seed := uint64(s + i)
		w, told, err := walk.Draw(ctx, a, seed)
		if err != nil {
			t.Errorf("draw %d: %v", seed, err)
			continue
		}
		for k, s := range w.Steps {
			if k < 30 {
				counts[s.Call]++
			}
			if os.Getenv("V") != "" {
				t.Log(s, "\n      =>", told[k])
			}
		}
		got, found, err := b.Play(ctx, w, int64(seed+1000000), told)
		if err != nil {
			t.Errorf("play %d: %v", seed, err)
			continue
		}
		if found != "" {
			t.Errorf("seed %d: %s", seed, found)
		}
		for k := range got {
			if got[k].String() != told[k].String() {
				bad++
				t.Errorf("seed %d step %d %s\n A %s\n B %s", seed, k+1, w.Steps[k], told[k], got[k])
				if os.Getenv("H") != "" {
					for j := 0; j <= k; j++ {
						t.Log(w.Steps[j], "\n      =>", told[j])
					}
				}
				break
			}
		}
	}
	b.Leave(ctx)
	for c, k := range counts {
		t.Logf("%-30s %.1f", c, 100*float64(k)/float64(30*n))
	}
	t.Log("bad", bad)
}
