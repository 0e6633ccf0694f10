package verdict_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec/verdict"
)

func TestRangeContains(t *testing.T) {
	for _, c := range []struct {
		text, version string
		want          bool
	}{
		{">=5.10 <6.6", "6.1.0-57-amd64", true},
		{">=5.10 <6.6", "6.1.192", true},
		{">=5.10 <6.6", "5.10.0", true},
		{">=5.10 <6.6", "6.6.0-1-cloud-amd64", false},
		{">=5.10 <6.6", "5.9.16", false},
		{">=6.1.100", "6.1.99", false},
		{">=6.19", "6.19.0-rc3", false},
		{"<6.19", "6.19-rc3+", true},
		{">=6.19", "6.19.0+deb14-amd64", true},
		{"<50", "44.0-2", true},
		{">=44", "v44.0", true},
		{">=17 <30 || >=50", "61.0-1+deb13u1", true},
		{">=17 <30 || >=50", "44.0", false},
		{">=5", "05.4.7", true},
		{">=0", "unknown", false},
		{">=0", "", false},
	} {
		t.Run(c.text+" "+c.version, func(t *testing.T) {
			g := NewWithT(t)
			r, err := verdict.ParseRange(c.text)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Contains(c.version)).To(Equal(c.want))
		})
	}
}

func TestParseRangeShowsWhatARangeLooksLike(t *testing.T) {
	g := NewWithT(t)
	_, err := verdict.ParseRange("after 5.10")
	g.Expect(err).To(MatchError(`"after 5.10" is no range of versions; one looks like ">=5.10 <6.6"`))
}

func TestASeriesIsTheFirstTwoNumbers(t *testing.T) {
	g := NewWithT(t)
	g.Expect(verdict.Series("6.1.0-57-amd64")).To(Equal(verdict.Series("6.1.192")))
	g.Expect(verdict.Series("6.12.38")).To(Equal("6.12"))
	g.Expect(verdict.Series("44.0-2")).To(Equal("44.0"))
	g.Expect(verdict.Series("a build tree")).To(Equal("a build tree"))
}
