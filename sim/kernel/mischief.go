package kernel

// SetEUID is seteuid(2). Even if the user is the one that the process is already, open files of the rdma_cm device answer
// EACCES from then on (ucma_write).
func (p *Process) SetEUID(uid uint32) {
	p.credentials++
	p.unprivileged = uid != 0
}

// InChild runs f as a child of the process would, which has the parent's files and credentials of its own (fork(2)).
func (p *Process) InChild(f func()) {
	p.credentials++
	defer func() { p.credentials-- }()
	f()
}
