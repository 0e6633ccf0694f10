// Package history has the tests that what several threads see of one id is what one thread after the other could have
// seen: histories of concurrent calls are checked against a sequential model with porcupine.
package history
