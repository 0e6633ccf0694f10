package kernel

import "joinmcast/spec/verdict"

// Release is what kernels of some releases do otherwise than those of 6.1, and no worse: nothing of it breaks the law.
type Release struct {
	asksForSendOnly bool // whether the subnet administration has send-only members, before one is to be
}

// ReleaseOf is what a kernel does by its release, as in "5.10.262"; of an empty one, what 6.1 does.
func ReleaseOf(kernel string) Release {
	return Release{asksForSendOnly: in("<5.12", kernel)} // 633d61021298
}

// in tells whether a release is in a range.
func in(text, kernel string) bool {
	r, err := verdict.ParseRange(text)
	if err != nil {
		panic(err) // the ranges are those of this file
	}
	return r.Contains(kernel)
}
