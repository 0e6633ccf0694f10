package verdict

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Range is a range of kernel or rdma-core versions, as in ">=5.10 <6.6": conditions beside each other all hold, those
// around || in turn. An empty Range names nothing.
type Range struct {
	text       string
	conditions *semver.Constraints
}

// ParseRange reads a range; the error says what a range looks like.
func ParseRange(text string) (Range, error) {
	conditions, err := semver.NewConstraint(text)
	if err != nil {
		return Range{}, fmt.Errorf(`%q is no range of versions; one looks like ">=5.10 <6.6"`, text)
	}
	conditions.IncludePrerelease = true // a release candidate has a place in the order like any other
	return Range{text: text, conditions: conditions}, nil
}

// IsZero tells whether the range names nothing.
func (r Range) IsZero() bool { return r.conditions == nil }

// String is the range as it was written.
func (r Range) String() string { return r.text }

// Contains tells whether a version is inside: a kernel release such as 6.1.192, 6.1.0-57-amd64 or 6.19.0-rc3, or an
// rdma-core version such as 44.0-2. Only the numbers and a release candidate's count. A text that is no version is
// inside nothing.
func (r Range) Contains(version string) bool {
	if r.conditions == nil {
		return false
	}
	v, ok := parseVersion(version)
	return ok && r.conditions.Check(v)
}

// versionNumbers takes the numbers of a release; what distributions append says nothing about the order.
var versionNumbers = regexp.MustCompile(`^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(?:[-~]?rc(\d+))?`)

func parseVersion(text string) (*semver.Version, bool) {
	m := versionNumbers.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	numbers := []string{"0", "0", "0"}
	for i, n := range m[1:4] {
		if n = strings.TrimLeft(n, "0"); n != "" {
			numbers[i] = n
		}
	}
	canonical := strings.Join(numbers, ".")
	if m[4] != "" {
		canonical += "-rc." + m[4]
	}
	v, err := semver.NewVersion(canonical)
	return v, err == nil
}

// Series is the release series of a version: "6.1" of 6.1.192 and of 6.1.0-57-amd64. Of a text that is no version it is
// the text.
func Series(version string) string {
	v, ok := parseVersion(version)
	if !ok {
		return version
	}
	return fmt.Sprintf("%d.%d", v.Major(), v.Minor())
}
