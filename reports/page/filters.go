package page

// Filters are a form that hides what its reader does not look for. It works on every element with the attribute
// data-item, which for each facet has an attribute data-<name> with its value. Such an item is shown when each facet
// has its value ticked, or nothing ticked, and when it holds all words of the search field; they are sought in the
// value of data-item, or in the whole item where that is empty. Without JavaScript there is no form and all is shown.
type Filters struct {
	Of     string // what is filtered, in the plural, as in "requirements"
	Total  int    // how many items there are
	Facets []Facet
}

// Facet is one property of the items.
type Facet struct {
	Name   string // as in "level": of the attribute data-level too
	Values []Value
}

// Value is one value of a facet, and how many items have it.
type Value struct {
	Name  string
	Count int
}
