package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"joinmcast/reports/survivors"
)

// errUnexplained is a mutant that no test notices and nothing explains, or an explanation of none.
var errUnexplained = errors.New("explain what survives, or test it, and take out what no longer does")

// survivorsCommand judges the mutation tests of packages, each a folder of the module with gremlins' output under out.
// What gremlins did not try is tried here.
func survivorsCommand(explained, out string, packages []string) error {
	text, err := os.ReadFile(explained)
	if err != nil {
		return err
	}
	explanations, err := survivors.ParseExplanations(explained, text)
	if err != nil {
		return err
	}
	var survived []survivors.Mutant
	var folders []string
	total := 0
	for _, folder := range packages {
		file := filepath.Join(out, filepath.FromSlash(folder), "gremlins.json")
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		folders = append(folders, path.Clean(folder))
		o, err := survivors.Read(os.DirFS("."), path.Clean(folder), file, text)
		if err != nil {
			return err
		}
		unnoticed, err := try(o.Untried, filepath.Dir(file))
		if err != nil {
			return err
		}
		survived, total = append(append(survived, o.Survived...), unnoticed...), total+o.Mutants
	}
	unexplained, stale := survivors.Judge(survived, survivors.Of(explanations, folders))
	for _, m := range unexplained {
		fmt.Println(m)
	}
	for _, e := range stale {
		fmt.Printf("no longer survives:\n%s %s\n", e.Mutant, e.Why)
	}
	fmt.Printf("tests notice %d of %d mutants, %d more are explained\n", total-len(survived), total,
		len(survived)-len(unexplained))
	if len(unexplained)+len(stale) > 0 {
		return errUnexplained
	}
	return nil
}

// try runs the tests of each mutant's package with the mutant in its file's place, and gives those that nothing
// notices.
func try(untried []survivors.Untried, folder string) ([]survivors.Mutant, error) {
	var unnoticed []survivors.Mutant
	for _, u := range untried {
		code, err := os.ReadFile(u.File)
		if err != nil {
			return nil, err
		}
		changed, err := u.Apply(code)
		if err != nil {
			return nil, err
		}
		in := filepath.Join(folder, "mutant.go.txt")
		overlay := filepath.Join(folder, "overlay.json")
		places, err := json.Marshal(map[string]map[string]string{"Replace": {u.File: in}})
		if err := errors.Join(err, os.WriteFile(in, changed, 0o600), os.WriteFile(overlay, places, 0o600)); err != nil {
			return nil, err
		}
		test := exec.Command("go", "test", "-failfast", "-timeout=2m", "-overlay="+overlay, "./"+path.Dir(u.File))
		var failed *exec.ExitError
		switch err := test.Run(); {
		case err == nil:
			unnoticed = append(unnoticed, u.Mutant)
		case !errors.As(err, &failed):
			return nil, err
		}
	}
	return unnoticed, nil
}
