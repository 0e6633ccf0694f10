package yamldoc_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"joinmcast/spec/yamldoc"
)

type thing struct {
	Name  string   `yaml:"name"`
	Count int      `yaml:"count"`
	Parts []string `yaml:"parts"`
}

func decode(text string) (thing, error) {
	var it thing
	return it, yamldoc.Decode("thing.yaml", "a thing", []byte(text), &it)
}

func TestADocumentIsDecoded(t *testing.T) {
	g := NewWithT(t)
	it, err := decode("name: x\ncount: 2\nparts: [a, b]\n")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(it).To(Equal(thing{Name: "x", Count: 2, Parts: []string{"a", "b"}}))
}

func TestWhatIsWrongIsToldInOneLineWithFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"name: x\ncolour: red\n":      "thing.yaml:2: field colour not found; want a thing",
		"name: x\ncount: |\n  a\n  b": "thing.yaml:2: cannot unmarshal !!str `a b` into int; want a thing",
		"name: [\n":                   "thing.yaml:1: did not find expected node content; want a thing",
		"name: x\n---\nname: y\n":     "thing.yaml: a second YAML document; want one, a thing",
		"# nothing\n":                 "thing.yaml: it is empty; want a thing",
		"name: x\nname: y\n":          "thing.yaml:2: mapping key \"name\" already defined at line 1; want a thing",
		"count: x\ncolour: red\n": "thing.yaml:1: cannot unmarshal !!str `x` into int; want a thing\n" +
			"thing.yaml:2: field colour not found; want a thing",
		"name: \x00":                    "thing.yaml: yaml: control characters are not allowed; want a thing",
		strings.Repeat("- ", 3) + "x\n": "thing.yaml:1: cannot unmarshal !!seq into yamldoc_test.thing; want a thing",
	} {
		_, err := decode(text)
		NewWithT(t).Expect(err).To(MatchError(want), "%q", text)
	}
}

func TestAnEmptyTextIsKnownByItsError(t *testing.T) {
	_, err := decode("")
	NewWithT(t).Expect(err).To(MatchError(yamldoc.ErrEmpty))
}

func FuzzDecode(f *testing.F) {
	f.Add("name: x\ncount: 2\nparts: [a, b]\n")
	f.Add("name: &a x\nparts: [*a, !!str 1, \"\\n\"]\n---\n")
	f.Add("? [k]\n: <<\n")
	f.Fuzz(func(t *testing.T, text string) {
		g := NewWithT(t)
		_, err := decode(text)
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			g.Expect(line).To(And(HavePrefix("thing.yaml:"), ContainSubstring("want ")))
		}
	})
}
