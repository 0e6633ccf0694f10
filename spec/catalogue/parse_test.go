package catalogue_test

import (
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"

	"joinmcast/spec"
	"joinmcast/spec/catalogue"
)

// small is a law of one chapter with all that a requirement may have.
const small = `chapter: ATT
title: Attaching
requirements:
  - id: JM-ATT-01
    level: IS
    says: A join of 0.0.0.0 attaches nothing.
    source: [a page]
    relied_on: [an application]
    layer: librdmacm
    on: [rocev2, ib]
    needs: [ud-qp]
    varies: ["kernel: since 6.3"]
    seen:
      rocev2: rxe
      ib: read only
    observe: [join]
  - id: JM-ATT-02
    level: MUST
    says: Another sentence.
    source: [a page]
    layer: driver
    on: [iwarp]
    judged: after-every-spec
    seen: {iwarp: read only}
    why_not: Nobody can see it.
`

// parse reads a law whose only file is att.yaml.
func parse(text string) (*catalogue.Catalogue, error) {
	return catalogue.Parse(fstest.MapFS{"att.yaml": {Data: []byte(text)}})
}

func TestParseReadsEveryField(t *testing.T) {
	g := NewWithT(t)
	c, err := parse(small)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Chapters()).To(Equal([]catalogue.Chapter{{
		Code: "ATT", Title: "Attaching", Requirements: []catalogue.Requirement{
			{
				ID: "JM-ATT-01", Level: spec.Is, Says: "A join of 0.0.0.0 attaches nothing.",
				Source: []string{"a page"}, ReliedOn: []string{"an application"}, Layer: spec.Librdmacm,
				On:    []spec.Transport{spec.RoCEv2, spec.InfiniBand},
				Needs: []spec.Capability{spec.UDQP}, Varies: []string{"kernel: since 6.3"},
				Seen:    map[spec.Transport]string{spec.RoCEv2: "rxe", spec.InfiniBand: "read only"},
				Observe: []string{"join"}, Chapter: "ATT", File: "att.yaml", Line: 4,
			},
			{
				ID: "JM-ATT-02", Level: spec.Must, Says: "Another sentence.",
				Source: []string{"a page"}, Layer: spec.Driver,
				On:     []spec.Transport{spec.IWARP},
				Seen:   map[spec.Transport]string{spec.IWARP: "read only"},
				WhyNot: "Nobody can see it.", Judged: catalogue.AfterEverySpec, Chapter: "ATT", File: "att.yaml", Line: 17,
			},
		},
	}}))
}

func TestParseRefusesWithOneSentenceThatNamesFileAndLine(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{
			"unknown field of the file", "title: Attaching", "titel: Attaching\ntitle: Attaching",
			`att.yaml:2: the file has the unknown field "titel", want one of chapter, title, requirements`,
		},
		{
			"unknown field of a requirement", "    level: IS", "    severity: IS\n    level: IS",
			`att.yaml:5: the requirement has the unknown field "severity", want one of id, level, says, source, ` +
				`relied_on, layer, on, needs, detector, varies, seen, observe, why_not, judged`,
		},
		{
			"field given twice", "    level: IS", "    level: IS\n    level: IS",
			`att.yaml:6: the requirement has the field "level" twice`,
		},
		{"no chapter", "chapter: ATT\n", "", "att.yaml:1: the file has no chapter"},
		{"no title", "title: Attaching\n", "", "att.yaml:1: the file has no title"},
		{
			"malformed chapter", "chapter: ATT", "chapter: attach",
			`att.yaml:1: chapter "attach" is no code, want capital letters as in ATT`,
		},
		{
			"id used twice", "JM-ATT-02", "JM-ATT-01",
			"att.yaml:17: id JM-ATT-01 is used twice, first in att.yaml:4; an id is never reused",
		},
		{
			"malformed id", "JM-ATT-02", "JM-ATT-2",
			`att.yaml:17: id "JM-ATT-2" is malformed, want JM-<CHAPTER>-<two digits>`,
		},
		{
			"id of another chapter", "JM-ATT-02", "JM-LV-02",
			"att.yaml:17: id JM-LV-02 is not of chapter ATT, want JM-ATT-<two digits>",
		},
		{"no id", "  - id: JM-ATT-02\n    level", "  - level", "att.yaml:17: the requirement has no id"},
		{
			"unknown level", "level: IS", "level: SHOULD",
			`att.yaml:5: JM-ATT-01 has the unknown level "SHOULD", want MUST, IS, MAY, HAZARD`,
		},
		{
			"unknown layer", "layer: driver", "layer: firmware",
			`att.yaml:21: JM-ATT-02 has the unknown layer "firmware", want librdmacm, rdma_cm, uverbs, driver, fabric`,
		},
		{
			"unknown capability", "needs: [ud-qp]", "needs: [ud_qp]",
			`att.yaml:11: JM-ATT-01 has the unknown capability "ud_qp", want ud-qp, mcast-qp, two-hosts, ` +
				`roce-modes, configure, ` +
				`sees-igmp, sees-filter, sees-rdma, sees-kernel, mischief, faults`,
		},
		{
			"unknown judgement", "judged: after-every-spec", "judged: never",
			`att.yaml:23: JM-ATT-02 has the unknown value of judged "never", want after-every-spec`,
		},
		{"no level", "    level: IS\n", "", "att.yaml:4: JM-ATT-01 has no level"},
		{"no says", "    says: Another sentence.\n", "", "att.yaml:17: JM-ATT-02 has no says"},
		{
			"no source", "    source: [a page]\n    layer: driver\n", "    layer: driver\n",
			"att.yaml:17: JM-ATT-02 has no source",
		},
		{"empty source", "source: [a page]\n    layer", "source: []\n    layer", "att.yaml:17: JM-ATT-02 has no source"},
		{"no layer", "    layer: driver\n", "", "att.yaml:17: JM-ATT-02 has no layer"},
		{"no on", "    on: [iwarp]\n", "", "att.yaml:17: JM-ATT-02 has no on\n" +
			`att.yaml:23: JM-ATT-02 was seen on "iwarp", which its field on does not name`},
		{"no seen", "    seen: {iwarp: read only}\n", "", "att.yaml:17: JM-ATT-02 has no seen"},
		{
			"level IS that nobody relies on", "    relied_on: [an application]\n", "",
			"att.yaml:4: JM-ATT-01 has level IS and no relied_on, want who relies on it and how",
		},
		{
			"two sentences", "Another sentence.", "One sentence. Another sentence.",
			"att.yaml:19: JM-ATT-02 says more than one sentence",
		},
		{
			"no full stop", "Another sentence.", "Another sentence",
			"att.yaml:19: JM-ATT-02 says something that does not end in a full stop",
		},
		{
			"a transport not told of", "      ib: read only\n", "",
			"att.yaml:14: JM-ATT-01 does not tell where it was seen on ib, want what it was measured on, or read only",
		},
		{
			"a transport told of in vain", "seen: {iwarp: read only}", "seen: {iwarp: read only, ib: rxe}",
			`att.yaml:24: JM-ATT-02 was seen on "ib", which its field on does not name`,
		},
		{
			"nothing recorded", "    observe: [join]\n", "",
			"att.yaml:4: JM-ATT-01 has neither observe nor why_not, want the fields its spec records or why it has no spec",
		},
		{
			"malformed observation", "observe: [join]", "observe: [Join]",
			`att.yaml:16: JM-ATT-01 observes "Join", want a name in small letters as in private_data_len`,
		},
		{
			"a value twice in a list", "observe: [join]", "observe: [join, join]",
			`att.yaml:16: "join" stands twice in its list`,
		},
		{
			"text that YAML takes for a number", "Another sentence.", "7",
			`att.yaml:19: "7" is no text, want text, if need be in quotes`,
		},
		{
			"empty text", "says: Another sentence.", `says: " "`,
			"att.yaml:19: the text is empty, leave the field out or fill it",
		},
		{
			"text for a list", "observe: [join]", "observe: join",
			"att.yaml:16: \"join\" is no list, want [a, b] or lines that begin with a dash\n" +
				"att.yaml:4: JM-ATT-01 has neither observe nor why_not, want the fields its spec records or why it has no spec",
		},
		{
			"text for a mapping", "seen: {iwarp: read only}", "seen: read only",
			"att.yaml:24: seen is no mapping, want fields with values",
		},
		{
			"text for a requirement", "  - id: JM-ATT-01", "  - nothing\n  - id: JM-ATT-01",
			`att.yaml:4: "nothing" is no requirement, want fields with values`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(strings.Count(small, c.old)).To(BeNumerically(">=", 1), "the case changes the small law")
			_, err := parse(strings.Replace(small, c.old, c.new, 1))
			g.Expect(err).To(MatchError(c.want))
		})
	}
}

func TestParseRefusesAnUnknownTransport(t *testing.T) {
	_, err := parse(strings.ReplaceAll(small, "iwarp", "omnipath"))
	NewWithT(t).Expect(err).To(MatchError(
		`att.yaml:22: JM-ATT-02 has the unknown transport "omnipath", want rocev2, rocev1, ib, iwarp`))
}

func TestParseRefusesAFileThatIsNoChapter(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "att.yaml: want a chapter in YAML, got EOF"},
		{"only a comment", "# soon\n", "att.yaml: want a chapter in YAML, got EOF"},
		{"no YAML", "chapter: [", "att.yaml: want a chapter in YAML, got yaml: line 1: did not find expected node content"},
		{
			"no mapping", "chapter",
			"att.yaml:1: the file is no mapping, want fields with values\natt.yaml:1: the file has no chapter\n" +
				"att.yaml:1: the file has no title\natt.yaml:1: the file has no requirements",
		},
		{
			"no requirement", "chapter: ATT\ntitle: Attaching\nrequirements: []\n",
			"att.yaml:3: chapter ATT has no requirements",
		},
		{"two documents", small + "---\nchapter: LV\n", "att.yaml:1: want one YAML document in the file, got more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse(c.text)
			NewWithT(t).Expect(err).To(MatchError(c.want))
		})
	}
}

func TestParseRefusesAChapterInTwoFiles(t *testing.T) {
	_, err := catalogue.Parse(fstest.MapFS{
		"a.yaml": {Data: []byte(small)},
		"b.yaml": {Data: []byte(strings.NewReplacer("-01", "-03", "-02", "-04").Replace(small))},
	})
	NewWithT(t).Expect(err).To(MatchError(
		"b.yaml:1: chapter ATT is used twice, first in a.yaml:1; an id is never reused"))
}

func TestParseRefusesALawWithoutFiles(t *testing.T) {
	_, err := catalogue.Parse(fstest.MapFS{"att.yml": {Data: []byte(small)}})
	NewWithT(t).Expect(err).To(MatchError("catalogue: there is no *.yaml file, want one a chapter"))
}

func TestParseTellsEverythingThatIsWrongAtOnce(t *testing.T) {
	_, err := parse(strings.NewReplacer("level: IS", "level: SHOULD", "layer: driver", "layer: firmware").Replace(small))
	NewWithT(t).Expect(err).To(MatchError(And(
		ContainSubstring(`att.yaml:5: JM-ATT-01 has the unknown level "SHOULD"`),
		ContainSubstring(`att.yaml:21: JM-ATT-02 has the unknown layer "firmware"`))))
}

func TestParsePutsChaptersInCatalogueOrderWhateverTheirFiles(t *testing.T) {
	g := NewWithT(t)
	c, err := catalogue.Parse(fstest.MapFS{
		"a.yaml": {Data: []byte(strings.ReplaceAll(small, "ATT", "NEW"))},
		"b.yaml": {Data: []byte(strings.ReplaceAll(small, "ATT", "LV"))},
		"c.yaml": {Data: []byte(small)},
	})
	g.Expect(err).NotTo(HaveOccurred())
	var codes []string
	for _, chapter := range c.Chapters() {
		codes = append(codes, chapter.Code)
	}
	g.Expect(codes).To(Equal([]string{"ATT", "LV", "NEW"}))
}

func TestVersionChangesWithAnyByteAndOnlyThen(t *testing.T) {
	g := NewWithT(t)
	version := func(text string) string {
		c, err := parse(text)
		g.Expect(err).NotTo(HaveOccurred())
		return c.Version()
	}
	g.Expect(version(small)).To(MatchRegexp("^[0-9a-f]{12}$"))
	g.Expect(version(small)).To(Equal(version(small)))
	g.Expect(version(small + "\n")).NotTo(Equal(version(small)))
}
