//go:build live

package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	. "github.com/onsi/gomega"

	"joinmcast/reports"
)

func TestEachFilterShowsAsManyAsItSays(t *testing.T) {
	p := show(t, "red")
	type box struct {
		Name, Value  string
		Count, Shown int
	}
	boxes := ask[[]box](p, `Array.from(document.querySelectorAll('.filters input[type=checkbox]'), (box) => {
		box.click();
		const count = Number(box.parentElement.querySelector('.count').textContent);
		const said = Number(document.querySelector('.shown').textContent);
		const shown = `+shown+`;
		box.click();
		return {Name: box.name, Value: box.value, Count: count, Shown: said === shown ? shown : -1};
	})`)
	facets := map[string]bool{}
	for _, b := range boxes {
		facets[b.Name] = true
		p.g.Expect(b.Shown).To(Equal(b.Count), "%s %s", b.Name, b.Value)
		p.g.Expect(b.Count).To(BeNumerically(">", 0), "%s %s", b.Name, b.Value)
	}
	p.g.Expect(facets).To(And(HaveLen(4), HaveKey("verdict"), HaveKey("level"), HaveKey("layer"), HaveKey("change")))
}

func TestFiltersOfTwoFacetsShowWhatFitsBoth(t *testing.T) {
	p := show(t, "red")
	p.do(chromedp.Click(`input[value=FAIL]`), chromedp.Click(`input[value=HANG]`), chromedp.Click(`input[value=MUST]`))
	fit := ask[int](p, `Array.from(document.querySelectorAll('[data-level=MUST]'))
		.filter((e) => ['FAIL', 'HANG'].includes(e.dataset.verdict)).length`)
	p.g.Expect(ask[int](p, shown)).To(And(Equal(fit), BeNumerically(">", 1)))

	p.do(chromedp.Click(`.filters button`))

	p.g.Expect(ask[int](p, shown)).To(Equal(ask[int](p, `document.querySelectorAll('[data-item]').length`)))
}

func TestALinkOpensItsRequirementThoughItWasFilteredAway(t *testing.T) {
	p := show(t, "red")
	p.do(chromedp.Click(`input[value=PASS]`), chromedp.Click(`.squares a[href="#JM-SYN-03"]`))
	p.do(chromedp.WaitVisible(`#JM-SYN-03[open] .result`))
	p.g.Expect(ask[string](p, `document.activeElement.parentElement.id`)).To(Equal("JM-SYN-03"))
}

func TestEveryLinkOfARealRunLeadsSomewhere(t *testing.T) {
	for _, name := range []string{"green", "red"} {
		p := show(t, name)
		links := ask[[]string](p, `Array.from(document.querySelectorAll('a'), (a) => a.getAttribute('href'))`)
		p.g.Expect(len(links)).To(BeNumerically(">", 200))
		broken := ask[[]string](p, `Array.from(document.querySelectorAll('a[href^="#"]'), (a) => a.getAttribute('href'))
			.filter((href) => !document.getElementById(href.slice(1)))`)
		p.g.Expect(broken).To(BeEmpty())
		for _, link := range links {
			if link[0] != '#' {
				p.g.Expect(filepath.Join(filepath.Dir(page(t, name)), link)).To(BeAnExistingFile())
			}
		}
	}
}

func TestTheCopyButtonPutsTheTextOnTheClipboard(t *testing.T) {
	p := show(t, "red", copying)
	p.do(chromedp.Click(`.squares a[href="#JM-SYN-03"]`), chromedp.WaitVisible(`#JM-SYN-03[open] .code`))
	type copied struct{ Text, Clipboard, Button string }
	all := ask[[]copied](p, `(async () => {
		const all = [];
		for (const box of document.querySelectorAll('#JM-SYN-03 .code')) {
			for (let fold = box.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
			const button = box.querySelector('button');
			const said = new Promise((done) => new MutationObserver(done).observe(button, {childList: true}));
			button.click();
			await said;
			all.push({
				Text: box.querySelector('pre').textContent, Clipboard: await navigator.clipboard.readText(),
				Button: button.textContent,
			});
		}
		return all;
	})()`)
	p.g.Expect(all).To(HaveLen(2), "the C program and the command")
	p.g.Expect(all[0].Text).To(ContainSubstring("rdma_"))
	p.g.Expect(all[1].Text).To(HavePrefix("go tool ginkgo"))
	for _, c := range all {
		p.g.Expect(c.Clipboard).To(Equal(c.Text))
		p.g.Expect(c.Button).To(Equal("Copied"))
	}
}

func TestCopyingFallsBackWhereTheClipboardIsRefused(t *testing.T) {
	p := show(t, "green", copying)
	ask[int](p, `(() => {
		Object.defineProperty(navigator, 'clipboard', {value: undefined});
		globalThis.copied = new Promise((done) => document.addEventListener('copy', () => done(String(getSelection()))));
		return 0;
	})()`)
	p.do(chromedp.Click(`section:last-child > .code button`)) // a real one: without it a browser refuses to copy
	p.g.Expect(ask[string](p, `copied`)).To(HavePrefix("go tool ginkgo --seed="))
}

func TestThePageCanBeUsedByKeysAlone(t *testing.T) {
	p := show(t, "red")
	active := func() string { return ask[string](p, `document.activeElement.closest('[id]')?.id ?? ''`) }

	p.do(set(input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Text: "/", // with its text, as a keyboard would
	}))
	p.g.Expect(active()).To(Equal("find"))
	p.do(chromedp.KeyEvent("jm-evt-03"))
	p.g.Expect(ask[int](p, shown)).To(Equal(1))
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("j"))
	p.g.Expect(active()).To(Equal("JM-EVT-03"))
	p.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(`#JM-EVT-03[open] .result`))

	p.do(chromedp.Click(`.filters button`), chromedp.Focus(`#JM-EVT-03 > summary`), chromedp.KeyEvent("k"))
	p.g.Expect(active()).To(Equal("JM-EVT-02"))
	p.do(chromedp.Focus(`.squares a`), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.Enter))
	p.do(chromedp.WaitVisible(`#JM-ENV-02[open] .facts`))
}

func TestWithoutJavaScriptAllIsThere(t *testing.T) {
	p := show(t, "red",
		set(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	p.g.Expect(ask[bool](p, `document.querySelector('.filters').checkVisibility()`)).To(BeFalse())
	p.g.Expect(ask[int](p, `document.querySelectorAll('button:not(.filters *)').length`)).To(BeZero(), "dead buttons")
	p.g.Expect(ask[int](p, shown)).To(Equal(ask[int](p, `document.querySelectorAll('[data-item]').length`)))
	p.do(chromedp.Click(`#JM-EVT-03 > summary`), chromedp.WaitVisible(`#JM-EVT-03[open] .lanes`))
}

func TestEveryControlHasAName(t *testing.T) {
	p := show(t, "red")
	p.g.Expect(ask[[]string](p, `Array.from(document.querySelectorAll('button, input, a, summary, figure, [role=group]'))
		.filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim()))
		.map((e) => e.outerHTML)`)).To(BeEmpty())
}

func TestAPageOfARunIsSmall(t *testing.T) {
	for name, bound := range map[string]int64{"green": 600_000, "red": 1_600_000} {
		file, err := os.Stat(page(t, name))
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(file.Size()).To(BeNumerically("<", bound), name)
	}
}

// TestNothingIsWiderThanThePage looks at each page in each form, with all of it unfolded, and takes the pictures that
// -screenshots keeps.
func TestNothingIsWiderThanThePage(t *testing.T) {
	for _, form := range []struct {
		name   string
		width  int64
		media  string
		scheme string
	}{
		{"light", 1280, "screen", "light"},
		{"dark", 1280, "screen", "dark"},
		{"phone", 390, "screen", "light"},
		{"print", 794, "print", "light"}, // A4 at 96 dots an inch
	} {
		for _, name := range []string{"green", "red", "everything"} {
			t.Run(form.name+" "+name, func(t *testing.T) {
				const height = 2400
				features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: form.scheme}}
				p := show(t, name,
					set(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
						Width: form.width, Height: height, DeviceScaleFactor: 1, Mobile: form.width < 500,
					}),
					set(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: form.media, Features: features}))
				picture(p, fmt.Sprintf("%s-%s.png", name, form.name))
				ask[int](p, `(document.querySelectorAll('details').forEach((e) => { e.open = true; }), 0)`)
				p.g.Expect(ask[[]string](p, `Array.from(document.querySelectorAll('body *'))
					.filter((e) => !e.closest('.scroll, pre, .skip, .bar') && e.getBoundingClientRect().right > innerWidth + 1)
					.map((e) => e.outerHTML.slice(0, 200)).slice(0, 5)`)).To(BeEmpty())
				p.g.Expect(ask[int64](p, `document.documentElement.scrollWidth`)).To(BeNumerically("<=", form.width))
				if name != "green" {
					ask[int](p, `(document.getElementById('JM-EVT-03').scrollIntoView(), 0)`)
					picture(p, fmt.Sprintf("%s-%s-open.png", name, form.name))
				}
			})
		}
	}
}

// picture keeps what the tab shows, where pictures are kept.
func picture(p tab, name string) {
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	p.g.Expect(err).NotTo(HaveOccurred())
	p.g.Expect(reports.WriteFile(filepath.Join(*screenshots, name), png)).To(Succeed())
}
