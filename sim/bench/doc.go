// Package bench has the benchmarks of the simulated stack: what it costs beside what cannot be avoided, in one process
// and in turns. `make bench` runs them and says which are over their bounds.
package bench
