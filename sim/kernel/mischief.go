package kernel

// SetEUID is seteuid(2). Open files of the rdma_cm device answer EACCES from then on, even when the process is its old
// user again (ucma_write); only a user that the process is already changes nothing.
func (p *Process) SetEUID(uid uint32) {
	if uid != p.euid {
		p.euid = uid
		p.credentials++
		if p.kernel.deviates.File.ForgivesReturn {
			p.credentials = int(uid)
		}
	}
}

// InChild runs f as a child of the process would, which has the parent's files and credentials of its own (fork(2)).
func (p *Process) InChild(f func()) {
	if p.kernel.deviates.File.ChildInherits {
		f()
		return
	}
	p.credentials++
	defer func() { p.credentials-- }()
	f()
}
