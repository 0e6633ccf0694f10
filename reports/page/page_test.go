package page_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports/page"
	"joinmcast/spec/verdict"
)

// write gives the page of a body.
func write(t *testing.T, body string, data any) string {
	t.Helper()
	var text strings.Builder
	NewWithT(t).Expect(page.Write(&text, "A <title>", page.Parse(body), data)).To(Succeed())
	return text.String()
}

func TestAPageIsOneFileThatAsksForNoOther(t *testing.T) {
	g := NewWithT(t)

	text := write(t, `<p>{{.}}</p>`, "words & <marks>")

	g.Expect(text).To(HavePrefix("<!doctype html>"))
	g.Expect(text).To(ContainSubstring("<h1>A &lt;title&gt;</h1>"))
	g.Expect(text).To(ContainSubstring("<p>words &amp; &lt;marks&gt;</p>"))
	g.Expect(text).To(ContainSubstring("default-src 'none'"))
	g.Expect(text).NotTo(MatchRegexp(`(?i)(src=|@import|https?://|url\()`))
}

func TestAChipSaysTheWordBesideItsColour(t *testing.T) {
	for _, v := range verdict.All() {
		NewWithT(t).Expect(write(t, `{{chip .}}`, v)).
			To(MatchRegexp(`<span class="chip \w+"><span class="mark" aria-hidden="true">.</span>` + string(v) + `</span>`))
	}
	for _, s := range verdict.Statuses() {
		NewWithT(t).Expect(write(t, `{{chip .}}`, s)).To(MatchRegexp(`aria-hidden="true">.</span>` + string(s) + `</span>`))
	}
}

func TestVerdictsDoNotShareAMark(t *testing.T) {
	g := NewWithT(t)
	seen := map[string]verdict.Verdict{}
	for _, v := range verdict.All() {
		text := write(t, `<i>{{mark .}}</i>`, v)
		mark := regexp.MustCompile(`<i>(.+)</i>`).FindStringSubmatch(text)
		g.Expect(mark).NotTo(BeNil(), "%s has no mark", v)
		g.Expect(seen).NotTo(HaveKey(mark[1]), "%s and %s", v, seen[mark[1]])
		seen[mark[1]] = v
	}
}

func TestFixedIsBadNewsOfARunAndGoodNewsOfADifference(t *testing.T) {
	g := NewWithT(t)
	g.Expect(write(t, `{{chip .}}`, "FIXED")).To(ContainSubstring(`class="chip bad"`))
	g.Expect(write(t, `{{change .}}`, "FIXED")).To(ContainSubstring(`class="chip good"`))
}

func TestAnUnknownWordIsQuietAndEscaped(t *testing.T) {
	NewWithT(t).Expect(write(t, `{{chip .}}`, "<new>")).To(ContainSubstring(`<span class="chip mute">&lt;new&gt;</span>`))
}

func TestCodeIsKeptAsItIs(t *testing.T) {
	text := write(t, `{{code .}}`, "a <b>\n  c")
	NewWithT(t).Expect(text).To(ContainSubstring(`<pre tabindex="0">a &lt;b&gt;` + "\n  c</pre>"))
}

func TestOneLineOfCodeIsWrapped(t *testing.T) {
	NewWithT(t).Expect(write(t, `{{code .}}`, "make rxe")).To(ContainSubstring(`<pre class="line" tabindex="0">make rxe<`))
}

func TestFiltersCountEachValue(t *testing.T) {
	g := NewWithT(t)
	text := write(t, `{{template "filters" .}}`, &page.Filters{
		Of: "requirements", Total: 3, Facets: []page.Facet{{Name: "level", Values: []page.Value{{"MUST", 2}, {"IS", 1}}}},
	})
	g.Expect(text).To(ContainSubstring(`value="MUST">MUST <span class="count">2</span>`))
	g.Expect(text).To(ContainSubstring(`<b class="shown">3</b> of 3 requirements`))
}

func TestColoursCanBeReadInBothThemes(t *testing.T) {
	style, err := os.ReadFile("style.css")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	light, dark, ok := strings.Cut(string(style), "@media (prefers-color-scheme: dark)")
	NewWithT(t).Expect(ok).To(BeTrue())
	dark, _, _ = strings.Cut(dark, "/* Type")
	for theme, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(text, -1) {
			colours[m[1]] = m[2]
		}
		NewWithT(t).Expect(contrast(t, colours["on-solid"], colours["bad-solid"])).To(BeNumerically(">=", 4.5), theme)
		for _, fore := range []string{"text", "quiet", "accent", "good", "bad", "warn", "info", "mute"} {
			grounds := []string{"ground", "panel"}
			if _, own := colours[fore+"-ground"]; own {
				grounds = append(grounds, fore+"-ground")
			}
			for _, ground := range grounds {
				NewWithT(t).Expect(contrast(t, colours[fore], colours[ground])).To(BeNumerically(">=", 4.5),
					"%s: %s on %s", theme, fore, ground)
			}
		}
	}
}

// contrast is WCAG's ratio of two colours.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	NewWithT(t).Expect(colour).To(HaveLen(6))
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), fmt.Sprint(colour))
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
