package vm

import (
	"bytes"
	"io"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/u-root/u-root/pkg/cpio"
)

func TestAnInitramfsHoldsFilesLinksAndTheirFolders(t *testing.T) {
	must := NewWithT(t)
	data, err := initramfs(map[string]entry{
		"init": {data: []byte("#!"), mode: 0o755}, "etc/joinmcast/env": text("A=b\n"), "rdma-core/0/lib": {link: "usr/lib"},
	})
	must.Expect(err).NotTo(HaveOccurred())
	records, err := cpio.ReadAllRecords(cpio.Newc.Reader(bytes.NewReader(data)))
	must.Expect(err).NotTo(HaveOccurred())
	content, order := map[string]string{}, map[string]int{}
	for i, r := range records {
		text, err := io.ReadAll(io.NewSectionReader(r, 0, int64(r.FileSize)))
		must.Expect(err).NotTo(HaveOccurred())
		content[r.Name], order[r.Name] = string(text), i
		must.Expect(r.NLink).To(BeNumerically("==", 1))
	}
	must.Expect(content).To(HaveKeyWithValue("init", "#!"))
	must.Expect(content).To(HaveKeyWithValue("etc/joinmcast/env", "A=b\n"))
	must.Expect(content).To(HaveKeyWithValue("rdma-core/0/lib", "usr/lib"))
	must.Expect(content).To(HaveKey("proc"))
	must.Expect(order["etc"]).To(BeNumerically("<", order["etc/joinmcast"]))
	must.Expect(order["etc/joinmcast"]).To(BeNumerically("<", order["etc/joinmcast/env"]))
}

func TestTheSameFilesGiveTheSameInitramfs(t *testing.T) {
	must := NewWithT(t)
	files := map[string]entry{}
	for _, name := range []string{"a/b/c", "a/d", "e", "f/g", "h/i/j/k"} {
		files[name] = text(name)
	}
	first, err := initramfs(files)
	must.Expect(err).NotTo(HaveOccurred())
	again, err := initramfs(files)
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(bytes.Equal(first, again)).To(BeTrue())
}
