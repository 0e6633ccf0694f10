package kernel

// ChangeCredentials is what seteuid(2) does, even to the user that the process is already: open files of the rdma_cm
// device answer EACCES from then on (ucma_write).
func (p *Process) ChangeCredentials() { p.credentials++ }

// InChild runs f as a child of the process would, which has the parent's files and credentials of its own (fork(2)).
func (p *Process) InChild(f func()) {
	p.credentials++
	defer func() { p.credentials-- }()
	f()
}
