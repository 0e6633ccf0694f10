package cprogram

import (
	_ "embed"
	"encoding/hex"
	"fmt"

	"joinmcast/spec"
	"joinmcast/spec/call"
	"joinmcast/spec/trace"
)

//go:embed c/mischief.c
var mischiefPart string

// mischief is a call of spec.Mischief in C; see c.
func (p *program) mischief(r trace.Row) (before []string, expression string, after []string) {
	switch a := r.Args.(type) {
	case *call.SetFDArgs:
		return nil, fmt.Sprintf("(%s->fd = %d, 0)", channel(a.Channel), a.FD), nil
	case *call.SetEUIDArgs:
		p.needs(mischiefPart)
		return nil, fmt.Sprintf("seteuid(%d)", a.UID), nil
	case *call.JoinInChildArgs:
		p.needs(mischiefPart)
		return nil, fmt.Sprintf("join_in_child(%s, %s)", id(a.ID), p.addr(a.Addr)), nil
	case *call.FailNextArgs:
		return []string{fmt.Sprintf("/* From here a preload makes librdmacm's call of %s after the next %d fail: %s. */",
			a.Function, a.Skip, a.Errno)}, "0", nil
	case *call.WriteRawArgs:
		p.needs(mischiefPart)
		c := a.Command
		return nil, fmt.Sprintf("write_command(%s, %d, %q, %d, %d, %d)", file(a.File), c.Cmd, hex.EncodeToString(c.In),
			c.ResponseAt, c.Room, number(c.Unmapped)), nil
	}
	if r.Method == "open" {
		name := file(r.Answer.(*call.OpenRawAnswer).File)
		if name == "-1" {
			name = "NULL"
		}
		made := p.made("int ", name, r.Begin)
		return nil, fmt.Sprintf("(%s = open(\"/dev/infiniband/rdma_cm\", O_RDWR | O_CLOEXEC)) < 0 ? -1 : 0", made), nil
	}
	return []string{"/* Here a preload counts the blocks of memory that librdmacm holds. */"}, "0", nil
}

// file is the variable of an open file.
func file(h spec.RawFile) string {
	if h == 0 {
		return "-1"
	}
	return variable("file", uint32(h))
}
