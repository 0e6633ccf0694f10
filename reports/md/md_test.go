package md_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/reports/md"
)

func TestATableKeepsItsColumnsWhateverACellSays(t *testing.T) {
	NewWithT(t).Expect(md.Table([]string{"a", "b"}, [][]string{{"EINVAL | 0", "two\nlines"}})).To(Equal(
		"\n| a | b |\n|---|---|\n| EINVAL \\| 0 | two<br>lines |\n"))
}

func TestATableWithoutRowsIsNothing(t *testing.T) {
	NewWithT(t).Expect(md.Table([]string{"a"}, nil)).To(BeEmpty())
}

func TestEscapedTextIsNoMarkup(t *testing.T) {
	NewWithT(t).Expect(md.Escape("a_b *c* <d>\n[e](f) \"#1\"")).To(Equal(`a\_b \*c\* &lt;d&gt; \[e\](f) "\#1"`))
}

func TestAFenceIsLongerThanAnyInItsText(t *testing.T) {
	NewWithT(t).Expect(md.Code("a\n```\nb\n")).To(Equal("\n````\na\n```\nb\n````\n"))
}
