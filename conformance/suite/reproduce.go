package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"joinmcast/spec/trace/cprogram"
)

// programsFolder is where the C programs of red specs go, in the run's folder.
const programsFolder = "reproduce"

var notOfNames = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is what the files of the spec begin with.
func (j *judged) fileName() string {
	return j.result.ID + "-" + strings.Trim(notOfNames.ReplaceAllString(strings.ToLower(j.result.Text), "-"), "-")
}

// writePrograms writes the spec's calls as C programs, one a process, and gives their paths in the run's folder. One
// that cannot be written is left out: the trace in the report has the same calls.
func (j *judged) writePrograms() []string {
	dir := filepath.Join(j.run.dir, programsFolder)
	if os.MkdirAll(dir, 0o755) != nil {
		return nil
	}
	rows := j.world.Calls()
	var paths []string
	for _, process := range cprogram.Processes(rows) {
		file := fmt.Sprintf("%s-%s.c", j.fileName(), strings.ReplaceAll(process, "/", "-"))
		title := fmt.Sprintf("%s: %s\n%s", j.result.ID, j.result.Text, j.law.Says)
		if os.WriteFile(filepath.Join(dir, file), cprogram.Write(title, process, rows), 0o644) == nil {
			paths = append(paths, filepath.Join(programsFolder, file))
		}
	}
	return paths
}
