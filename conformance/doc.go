// Package conformance is the suite: one file a chapter of the law, one It a behaviour. Every It carries the id of the
// requirement it judges as a literal label, arranges with the rig, makes the call in question, and judges the answer.
package conformance
