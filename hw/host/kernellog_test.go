package main

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func logOf(text ...string) []string {
	var d defectLog
	for _, line := range text {
		d.add(line)
	}
	return d.kept()
}

func TestAnOrdinaryLogTellsOfNoDefect(t *testing.T) {
	NewWithT(t).Expect(logOf(
		"rdma_rxe: loaded", "eth0: link becomes ready", "infiniband rxe0: set active", "infiniband rxe0: added eth0",
		"debug: no warning here",
	)).To(BeEmpty())
}

func TestEveryKindOfDefectIsSeen(t *testing.T) {
	for _, line := range []string{
		"WARNING: CPU: 0 PID: 77 at drivers/infiniband/core/rdma_core.c:940 uverbs_destroy_ufile_hw+0x1/0x2 [ib_uverbs]",
		"BUG: kernel NULL pointer dereference, address: 0000000000000008",
		"BUG: KASAN: slab-use-after-free in cma_process_remove+0x1/0x2",
		"Oops: 0002 [#1] PREEMPT SMP",
		"refcount_t: underflow; use-after-free.",
		"UBSAN: array-index-out-of-bounds in cma.c:1:2",
		"WARNING: possible circular locking dependency detected",
		"general protection fault, probably for non-canonical address",
		"unregister_netdevice: waiting for eth0 to become free. Usage count = 2",
		"kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
		"INFO: task joinmcast-agent:77 blocked for more than 120 seconds.",
	} {
		NewWithT(t).Expect(logOf("before", line)).To(Equal([]string{line}))
	}
}

func TestADefectKeepsItsTraceAndNoMore(t *testing.T) {
	report := []string{
		"WARNING: CPU: 0 PID: 1", "Modules linked in: rdma_rxe", "Call Trace:", " f+0x1/0x2", "---[ end trace 0 ]---",
	}
	NewWithT(t).Expect(logOf(append(report, "eth0: link up")...)).To(Equal(report))
}

func TestALogOfDefectsIsBounded(t *testing.T) {
	must := NewWithT(t)
	flood := strings.Split(strings.Repeat("BUG: again\n", logLines+7), "\n")
	kept := logOf(flood[:logLines+7]...)
	must.Expect(kept).To(HaveLen(logLines + 1))
	must.Expect(kept[logLines]).To(Equal(fmt.Sprintf("(%d lines more)", 7)))
}

func TestARecordsTextIsWithoutItsHeaderAndDictionary(t *testing.T) {
	NewWithT(t).Expect(kmsgText("4,512,8123456,-;WARNING: a; b\n SUBSYSTEM=net\n")).To(Equal("WARNING: a; b"))
}
