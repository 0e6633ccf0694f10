package catalogue_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMarkdownHasContentsAndEveryRequirement(t *testing.T) {
	g := NewWithT(t)
	_, page, _ := strings.Cut(markdownOf(t, "A join of 0.0.0.0", "A *join* of <any>"), "in the report.\n\n")
	g.Expect(page).To(Equal(`* [ATT: Attaching](#att-attaching): JM-ATT-01 to JM-ATT-02, 2 requirements

## ATT: Attaching

### JM-ATT-01

A \*join\* of &lt;any> attaches nothing.

* Level: IS, layer librdmacm, on rocev2, ib
* Source: a page
* Relied on by: an application
* Needs: ud-qp
* Varies: kernel: since 6.3
* Seen: rocev2: rxe; ib: read only
* Records: join

### JM-ATT-02

Another sentence.

* Level: MUST, layer driver, on iwarp
* Source: a page
* Seen: iwarp: read only
* No spec: Nobody can see it.
* Judged: after every spec, with the spec as evidence
`))
}

func TestMarkdownNamesTransportsTogetherOfWhichTheSameIsSaid(t *testing.T) {
	g := NewWithT(t)
	page := markdownOf(t, "rocev2: rxe", "rocev2: read only")
	g.Expect(page).To(ContainSubstring("* Seen: rocev2, ib: read only\n"))
}

func TestMarkdownLinksToAChapterByTheAnchorThatForgesGiveItsTitle(t *testing.T) {
	g := NewWithT(t)
	page := markdownOf(t, "title: Attaching", "title: '/09:az_`{-Attaching, or not?'")
	g.Expect(page).To(ContainSubstring("](#att-09az_-attaching-or-not): "))
}

// markdownOf is the page of the small law with one text for another.
func markdownOf(t *testing.T, old, text string) string {
	t.Helper()
	g := NewWithT(t)
	c, err := parse(strings.ReplaceAll(small, old, text))
	g.Expect(err).NotTo(HaveOccurred())
	var b strings.Builder
	g.Expect(c.Markdown(&b)).To(Succeed())
	return b.String()
}
