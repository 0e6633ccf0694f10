package kernel

import "joinmcast/spec"

// failure is one call of a function that somebody asked to fail: the one after the next skip calls.
type failure struct {
	skip  int
	errno spec.Errno // 0: none is asked for
}

// next counts a call and gives the error it fails with, if it does.
func (f *failure) next() error {
	switch {
	case f.errno == 0:
		return nil
	case f.skip > 0:
		f.skip--
		return nil
	}
	errno := f.errno
	f.errno = 0
	return errno
}

// FailWrite makes one write(2) to an rdma_cm file fail: the one after the next skip writes.
func (p *Process) FailWrite(skip int, errno spec.Errno) { p.writes = failure{skip, errno} }

// ChangeCredentials is what seteuid(2) does, even to the user that the process is already: open files of the rdma_cm
// device answer EACCES from then on (ucma_write).
func (p *Process) ChangeCredentials() { p.credentials++ }

// InChild runs f as a child of the process would, which has the parent's files and credentials of its own (fork(2)).
func (p *Process) InChild(f func()) {
	p.credentials++
	defer func() { p.credentials-- }()
	f()
}
