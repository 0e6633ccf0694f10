package diff

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"joinmcast/reports"
	"joinmcast/spec"
)

// environment are the fields in which what was judged, and by what, differ. A nonce is another in every run and says
// nothing.
func environment(a, b *reports.Report) []Field {
	var fields []Field
	add := func(name, from, to string) {
		if from != to {
			fields = append(fields, Field{Name: name, A: from, B: to})
		}
	}
	x, y := a.Environment, b.Environment
	add("suite", a.Suite.Version, b.Suite.Version)
	add("law", a.Suite.Catalogue, b.Suite.Catalogue)
	add("stack", x.Stack, y.Stack)
	add("imitates", x.Imitates, y.Imitates)
	add("transport", string(x.Transport), string(y.Transport))
	add("detectors", strings.Join(x.Detectors, ", "), strings.Join(y.Detectors, ", "))
	return append(fields, hosts(x.Hosts, y.Hosts)...)
}

// hosts compares host by host; what differs in the same way on all of them is said once.
func hosts(a, b []spec.HostEnvironment) []Field {
	var perHost [][]Field
	for i := range max(len(a), len(b)) {
		perHost = append(perHost, differing(flat(at(a, i)), flat(at(b, i))))
	}
	var fields []Field
	for i, own := range perHost {
		for _, f := range own {
			everywhere := !slices.ContainsFunc(perHost, func(fs []Field) bool { return !slices.Contains(fs, f) })
			switch {
			case everywhere && i == 0:
				fields = append(fields, f)
			case !everywhere:
				f.Name = fmt.Sprintf("host %d %s", i, f.Name)
				fields = append(fields, f)
			}
		}
	}
	return fields
}

func at(all []spec.HostEnvironment, i int) *spec.HostEnvironment {
	if i < len(all) {
		return &all[i]
	}
	return nil
}

// flat is a host's environment as text, by the names of the report: a library by its soname, so that another version of
// it is the same field.
func flat(h *spec.HostEnvironment) map[string]string {
	if h == nil {
		return nil
	}
	fields := map[string]string{}
	v := reflect.ValueOf(*h)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("json"); v.Field(i).Kind() != reflect.Map && name != "nonce" {
			fields[name] = fmt.Sprint(v.Field(i))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(h.Libraries)) {
		fields["library "+soname(path)] = h.Libraries[path]
	}
	for module, id := range h.Modules {
		fields["module "+module] = id
	}
	return fields
}

// soname is what a library's path is known by: libibverbs.so.1 of /usr/lib/libibverbs.so.1.14.44.0.
func soname(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if stem, version, ok := strings.Cut(name, ".so."); ok {
		major, _, _ := strings.Cut(version, ".")
		return stem + ".so." + major
	}
	return name
}
