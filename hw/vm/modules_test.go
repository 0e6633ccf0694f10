package vm

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestModinfoKeepsRepeatedKeys(t *testing.T) {
	info := parseModinfo("name=rdma_rxe\x00alias=a\x00alias=b\x00depends=ib_core,ib_uverbs\x00\x00odd\x00")
	must := NewWithT(t)
	must.Expect(info["alias"]).To(Equal([]string{"a", "b"}))
	must.Expect(dependencies(info)).To(Equal([]string{"ib_core", "ib_uverbs"}))
	must.Expect(info).NotTo(HaveKey("odd"))
}

func TestOnlySoftDependenciesBeforeAModuleCount(t *testing.T) {
	info := map[string][]string{"softdep": {"pre: crc32 crc32c post: later", "post: last pre: first"}}
	NewWithT(t).Expect(softDependencies(info)).To(Equal([]string{"crc32", "crc32c", "first"}))
}

func TestAModuleWithoutDependenciesHasNone(t *testing.T) {
	NewWithT(t).Expect(dependencies(map[string][]string{"depends": {""}})).To(BeEmpty())
}

// tree makes modules of the given .modinfo, and a list of built-in ones.
func tree(t *testing.T, builtin string, modules map[string]string) moduleTree {
	t.Helper()
	must := NewWithT(t)
	dir := t.TempDir()
	must.Expect(os.WriteFile(filepath.Join(dir, "modules.builtin"), []byte(builtin), 0o644)).To(Succeed())
	for name, info := range modules {
		must.Expect(os.WriteFile(filepath.Join(dir, name+".ko"), elfWithSection(".modinfo", info), 0o644)).To(Succeed())
	}
	m, err := readModuleTree(dir)
	must.Expect(err).NotTo(HaveOccurred())
	return m
}

func names(modules []module) []string {
	list := make([]string, len(modules))
	for i, m := range modules {
		list[i] = m.name
	}
	return list
}

func TestModulesComeAfterWhatTheyDependOn(t *testing.T) {
	must := NewWithT(t)
	m := tree(t, "kernel/fs/configfs/configfs.ko\n", map[string]string{
		"rdma_rxe": "depends=ib_core,udp-tunnel\x00softdep=pre: absent\x00", "ib_core": "depends=configfs\x00",
		"udp_tunnel": "depends=\x00", "crc32_generic": "depends=\x00", "unrelated": "depends=\x00",
	})
	list, err := m.closure([]string{"ib_core", "rdma_rxe"}, []string{"crc32_generic", "no_such_module"})
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(names(list)).To(Equal([]string{"crc32_generic", "ib_core", "udp_tunnel", "rdma_rxe"}))
}

func TestAMissingModuleIsNamedWithWhatNeedsIt(t *testing.T) {
	_, err := tree(t, "", map[string]string{"rdma_rxe": "depends=ib_core\x00"}).closure([]string{"rdma_rxe"}, nil)
	NewWithT(t).Expect(err).To(MatchError(
		"kernel has no module ib_core (needed by rdma_rxe), neither as a file nor built in"))
}
