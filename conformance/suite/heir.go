package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"joinmcast/reports"
	"joinmcast/reports/index"
)

// A run that is killed cannot write its report. So the first process of a run starts an heir: the same program, asleep
// on a pipe. When the pipe closes without a word, the run has died, and the heir writes the report out of the journal.

// heirOf is the environment variable that makes the program an heir; its value is the run's folder.
const heirOf = "JOINMCAST_HEIR_OF"

// disinherited is the word that tells the heir that there is nothing to do.
const disinherited = "done"

var will io.WriteCloser

// bequeath starts the heir. A run without one is still a run: only its death would go unreported.
func (r *run) bequeath() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	heir := exec.Command(self)
	heir.Env = append(os.Environ(), heirOf+"="+r.dir)
	heir.Stderr = os.Stderr
	heir.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the run, not for its heir
	if will, err = heir.StdinPipe(); err != nil {
		return
	}
	if err := heir.Start(); err != nil {
		_ = will.Close()
		will = nil
	}
}

// disinherit ends the heir: the run has written its report itself.
func (r *run) disinherit() {
	if will != nil {
		_, _ = io.WriteString(will, disinherited)
		_ = will.Close()
	}
}

// inherit is the heir's whole life; it tells whether this process is one.
func inherit() bool {
	dir, ok := os.LookupEnv(heirOf)
	if !ok {
		return false
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	word, err := io.ReadAll(os.Stdin)
	if err == nil && bytes.Equal(word, []byte(disinherited)) {
		return true
	}
	if err := report(dir); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "joinmcast: the run died, and its report cannot be written: %s\n", err)
	} else {
		_, _ = fmt.Fprintf(os.Stderr, "joinmcast: the run died; what it had done is in %s\n",
			filepath.Join(dir, reports.JSONFile))
	}
	return true
}

// report writes the report of a run that left nothing but its journal.
func report(dir string) error {
	rows, torn, err := reports.ReadJournal(filepath.Join(dir, reports.JournalFile))
	if err != nil {
		return err
	}
	r, err := reports.FromJournal(rows, torn)
	if err != nil {
		return err
	}
	page := index.Run{Report: r, Dir: dir, Now: time.Now()}
	return errors.Join(r.Write(dir), page.WriteFile())
}
