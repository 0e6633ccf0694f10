//go:build live

package index_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/gomega"

	"joinmcast/reports/index"
)

var screenshots = flag.String("screenshots", "", "`folder` to keep the pictures of the pages in; empty: none is kept")

// quirks make a run red in many ways: wrong answers, a call that hangs, and hosts that are left dirty.
const quirks = "lose-context,igmp-leak,kernel-warning,sync-leave-hangs,leave-unknown-succeeds,destroy-keeps-records," +
	"duplicate-event"

// pages are the pages that all of these tests look at, by name, made once.
var pages = sync.OnceValues(func() (map[string]string, error) {
	dir, err := os.MkdirTemp("", "joinmcast-pages-")
	if err != nil {
		return nil, err
	}
	endings = append(endings, func() { _ = os.RemoveAll(dir) })
	green := filepath.Join(dir, "sim", index.File)
	red := filepath.Join(dir, "sim-promise", index.File)
	baseline := filepath.Join(dir, "sim", "report.json")
	return map[string]string{"green": green, "red": red}, errors.Join(
		suite("-target=sim", "-out="+dir),
		suite("-target=sim-promise", "-quirk="+quirks, "-baseline="+baseline, "-out="+dir),
	)
})

// suite runs the suite, whose exit status 1 says that it is red.
func suite(args ...string) error {
	args = append([]string{"test", "-count=1", "joinmcast/conformance"}, args...)
	text, err := exec.Command("go", args...).CombinedOutput()
	var red *exec.ExitError
	if errors.As(err, &red) && red.ExitCode() == 1 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// endings undo what these tests share.
var endings []func()

func TestMain(m *testing.M) {
	status := m.Run()
	for _, end := range endings {
		end()
	}
	os.Exit(status)
}

// chromium is the browser of all of these tests.
var chromium = sync.OnceValues(func() (context.Context, error) {
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	ctx, end := chromedp.NewContext(allocator)
	endings = append(endings, end, stop)
	return ctx, chromedp.Do(ctx)
})

// page is the path of one of the pages; "everything" is that of the golden.
func page(t *testing.T, name string) string {
	t.Helper()
	if name == "everything" {
		r := run(t)
		NewWithT(t).Expect(r.WriteFile()).To(Succeed())
		return filepath.Join(r.Dir, index.File)
	}
	all, err := pages()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return all[name]
}

// step prepares a browser's tab, or does something in it.
type step = chromedp.Action[chromedp.Void]

// set is the step of a command of the protocol.
func set[P any](command cdp.Command[P, cdp.Empty], params P) step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, command, params)
		return err
	})
}

// tab is a page in a browser. What goes wrong in it, and what it asks the network for, fails the test at its end.
type tab struct {
	g   *WithT
	ctx context.Context
}

// patience bounds what a test does with one page.
const patience = 5 * time.Minute

// show opens a page in a tab of its own, after the steps.
func show(t *testing.T, name string, before ...step) tab {
	t.Helper()
	address := "file://" + page(t, name)
	g := NewWithT(t)
	parent, err := chromium()
	g.Expect(err).NotTo(HaveOccurred())
	ctx, closeTab := chromedp.NewContext(parent)
	t.Cleanup(closeTab)
	ctx, end := context.WithTimeout(ctx, patience)
	t.Cleanup(end)
	p := tab{g, ctx}
	var mu sync.Mutex
	var complaints []string
	p.g.Expect(chromedp.Listen(ctx, func(event any) {
		if what := complaint(event, address); what != "" {
			mu.Lock()
			defer mu.Unlock()
			complaints = append(complaints, what)
		}
	})).To(Succeed())
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		p.g.Expect(complaints).To(BeEmpty())
	})
	p.do(
		set(network.Enable, network.EnableParams{}), set(log.Enable, cdp.Empty{}), set(runtime.Enable, cdp.Empty{}),
		set(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	p.do(before...)
	p.do(chromedp.Navigate(address))
	return p
}

// complaint is what an event tells against the page at the address, if anything.
func complaint(event any, address string) string {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		return "the page wrote to the console: " + string(e.Type)
	case *runtime.EventExceptionThrown:
		return "a script failed: " + e.ExceptionDetails.Text
	case *log.EventEntryAdded:
		return "the browser complains: " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		url, _, _ := strings.Cut(e.Request.URL, "#")
		if url != address && !strings.HasPrefix(url, "data:") {
			return "the page asks for " + url
		}
	}
	return ""
}

// do performs steps.
func (p tab) do(steps ...step) {
	p.g.Expect(chromedp.Do(p.ctx, steps...)).To(Succeed())
}

// ask evaluates an expression of a script, and awaits it if it is a promise.
func ask[T any](p tab, expression string) T {
	answer, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	p.g.Expect(err).NotTo(HaveOccurred(), expression)
	return answer
}

// shown counts the requirements that a reader sees.
const shown = `Array.from(document.querySelectorAll('[data-item]')).filter((e) => e.checkVisibility()).length`

// copying lets the page write the clipboard, and these tests read it.
var copying = chromedp.Steps(permit("clipboard-read"), permit("clipboard-write"))

func permit(name string) step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
		})
		return err
	})
}
