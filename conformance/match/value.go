package match

import (
	"fmt"
	"reflect"

	"github.com/onsi/gomega/types"
)

// Be succeeds when a field has exactly this value; what names the field in the failure, as in "qp_num". Numbers are
// printed in decimal and hexadecimal, since the field's documents use both.
func Be(what string, want any) types.GomegaMatcher { return &fieldMatcher{what: what, want: want} }

type fieldMatcher struct {
	what string
	want any
}

func (m *fieldMatcher) Match(actual any) (bool, error) {
	if reflect.TypeOf(actual) != reflect.TypeOf(m.want) {
		return false, fmt.Errorf("%s: want a %T, have a %T", m.what, m.want, actual)
	}
	return reflect.DeepEqual(actual, m.want), nil
}

func (m *fieldMatcher) FailureMessage(actual any) string {
	return message(m.what+" "+number(m.want), m.what+" "+number(actual))
}

func (m *fieldMatcher) NegatedFailureMessage(actual any) string {
	return message(m.what+" other than "+number(m.want), m.what+" "+number(actual))
}

func number(v any) string {
	r := reflect.ValueOf(v)
	if _, named := v.(fmt.Stringer); !named && (r.CanInt() || r.CanUint()) {
		return fmt.Sprintf("%d (%#x)", v, v)
	}
	return fmt.Sprint(v)
}
