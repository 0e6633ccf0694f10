package catalogue

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"joinmcast/spec"
)

var (
	levels     = spec.Levels()
	layers     = spec.Layers()
	transports = []spec.Transport{spec.RoCEv2, spec.RoCEv1, spec.InfiniBand, spec.IWARP}
	needs      = spec.AllCapabilities()
)

var (
	chapterForm  = regexp.MustCompile(`^[A-Z]+$`)
	idForm       = regexp.MustCompile(`^JM-([A-Z]+)-[0-9]{2}$`)
	fieldForm    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	sentenceEnds = regexp.MustCompile(`[.!?]["')]*(\s|$)`)
)

// chapterCode is a chapter's code; "" when it is missing or malformed.
func (r *reader) chapterCode(n *yaml.Node) string {
	code := r.text(n)
	switch {
	case code == "":
		return ""
	case !chapterForm.MatchString(code):
		r.refuse(n, "chapter %q is no code, want capital letters as in ATT", code)
		return ""
	}
	r.once(n, "chapter", code)
	return code
}

// check refuses a requirement that is incomplete or says what the law has no word for.
func (r *reader) check(n *yaml.Node, fields map[string]*yaml.Node, q Requirement) {
	if q.ID == "" {
		r.refuse(n, "the requirement has no id")
		return
	}
	r.checkID(fields["id"], q)
	for _, name := range []string{"level", "says", "source", "layer", "on", "seen"} {
		if f := fields[name]; f == nil || f.Kind != yaml.ScalarNode && len(f.Content) == 0 {
			r.refuse(n, "%s has no %s", q.ID, name)
		}
	}
	if q.Says != "" {
		r.checkSays(fields["says"], q)
	}
	known(r, fields["level"], q.ID, "level", q.Level, levels)
	known(r, fields["layer"], q.ID, "layer", q.Layer, layers)
	for i, transport := range q.On {
		known(r, fields["on"].Content[i], q.ID, "transport", transport, transports)
	}
	for i, capability := range q.Needs {
		known(r, fields["needs"].Content[i], q.ID, "capability", capability, needs)
	}
	known(r, fields["judged"], q.ID, "value of judged", q.Judged, []string{AfterEverySpec})
	if q.Level == spec.Is && len(q.ReliedOn) == 0 {
		r.refuse(n, "%s has level IS and no relied_on, want who relies on it and how", q.ID)
	}
	r.checkSeen(fields["seen"], q)
	r.checkObserve(n, fields["observe"], q)
}

func (r *reader) checkID(n *yaml.Node, q Requirement) {
	form := idForm.FindStringSubmatch(q.ID)
	switch {
	case form == nil:
		r.refuse(n, "id %q is malformed, want JM-<CHAPTER>-<two digits>", q.ID)
		return
	case q.Chapter != "" && form[1] != q.Chapter:
		r.refuse(n, "id %s is not of chapter %s, want JM-%s-<two digits>", q.ID, q.Chapter, q.Chapter)
	}
	r.once(n, "id", q.ID)
}

func (r *reader) checkSays(n *yaml.Node, q Requirement) {
	switch {
	case !strings.HasSuffix(q.Says, "."):
		r.refuse(n, "%s says something that does not end in a full stop", q.ID)
	case len(sentenceEnds.FindAllString(q.Says, -1)) > 1:
		r.refuse(n, "%s says more than one sentence", q.ID)
	}
}

// checkSeen wants a word about every transport the requirement speaks of, and about no other.
func (r *reader) checkSeen(n *yaml.Node, q Requirement) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for _, transport := range q.On {
		if _, ok := q.Seen[transport]; !ok {
			r.refuse(n, "%s does not tell where it was seen on %s, want what it was measured on, or read only", q.ID, transport)
		}
	}
	for pair := range slices.Chunk(n.Content, 2) {
		if key := pair[0]; !slices.Contains(q.On, spec.Transport(key.Value)) {
			r.refuse(key, "%s was seen on %q, which its field on does not name", q.ID, key.Value)
		}
	}
}

// checkObserve wants the fields a spec records, of a requirement that is judged.
func (r *reader) checkObserve(n, observe *yaml.Node, q Requirement) {
	if len(q.Observe) == 0 && q.WhyNot == "" {
		r.refuse(n, "%s has neither observe nor why_not, want the fields its spec records or why it has no spec", q.ID)
	}
	for i, field := range q.Observe {
		if !fieldForm.MatchString(field) {
			r.refuse(observe.Content[i], "%s observes %q, want a name in small letters as in private_data_len", q.ID, field)
		}
	}
}

// known refuses a value the law has no word for; a value that is missing is another check's.
func known[T ~string](r *reader, n *yaml.Node, id, what string, value T, values []T) {
	if value == "" || slices.Contains(values, value) {
		return
	}
	var names []string
	for _, v := range values {
		names = append(names, string(v))
	}
	r.refuse(n, "%s has the unknown %s %q, want %s", id, what, string(value), strings.Join(names, ", "))
}
