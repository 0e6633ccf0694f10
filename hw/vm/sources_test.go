package vm

import (
	"testing"

	. "github.com/onsi/gomega"
)

const targets = `Docker CE|https://packages.example/docker/
Debian|http://mirror.example/debian/
Debian|http://mirror.example/debian/
Debian-Security|http://mirror.example/debian-security/
`

func TestTheMirrorIsTheOneOfTheHostsApt(t *testing.T) {
	NewWithT(t).Expect(mirrorsOf(targets)).To(Equal(mirrors{
		main: "http://mirror.example/debian/", security: "http://mirror.example/debian-security/",
	}))
}

func TestAHostWithoutDebianHasNoMirror(t *testing.T) {
	NewWithT(t).Expect(mirrorsOf("Ubuntu|http://mirror.example/ubuntu/\n")).To(Equal(mirrors{}))
}

func TestSourcesAreSignedAndTheMainArchiveIsFirst(t *testing.T) {
	NewWithT(t).Expect(sourceLines("trixie", mirrorsOf(targets), "/keys.gpg")).To(Equal([]string{
		"deb [arch=amd64 signed-by=/keys.gpg] http://mirror.example/debian/ trixie main",
		"deb [arch=amd64 signed-by=/keys.gpg] http://mirror.example/debian-security/ trixie-security main",
	}))
}

func TestWithoutAKeyringTheTrustIsTheHostsApts(t *testing.T) {
	NewWithT(t).Expect(sourceLines("sid", mirrors{main: "http://mirror.example/debian/"}, "")).To(Equal([]string{
		"deb [arch=amd64] http://mirror.example/debian/ sid main",
	}))
}

func TestAnEnvironmentVariableReplacesTheMirror(t *testing.T) {
	must := NewWithT(t)
	t.Setenv("JOINMCAST_MIRROR", "http://other.example/debian")
	m, err := hostMirrors(t.Context())
	must.Expect(err).NotTo(HaveOccurred())
	must.Expect(m).To(Equal(mirrors{main: "http://other.example/debian"}))
}

func TestOnlyAptsErrorsAreQuoted(t *testing.T) {
	NewWithT(t).Expect(aptErrors("W: a warning\nE: first\nReading...\nE: second\n")).To(Equal("first; second"))
}

func TestControlFieldsAreOfTheFirstParagraph(t *testing.T) {
	fields := controlFields("Package: libc6\nVersion: 1:2.36-9\nDescription: C\n continued: no\n\nVersion: 9\n")
	NewWithT(t).Expect(fields).To(Equal(map[string]string{"Package": "libc6", "Version": "1:2.36-9", "Description": "C"}))
}

func TestOnlyVersionedKernelPackagesAreUnpacked(t *testing.T) {
	must := NewWithT(t)
	must.Expect(kernelPackage("linux-image-7.2.13+deb14-amd64")).To(BeTrue())
	must.Expect(kernelPackage("linux-modules-7.2.13+deb14-amd64")).To(BeTrue())
	must.Expect(kernelPackage("linux-base-7.2.13+deb14-amd64")).To(BeTrue())
	must.Expect(kernelPackage("linux-base-amd64")).To(BeFalse())
	must.Expect(kernelPackage("linux-image-amd64")).To(BeFalse())
	must.Expect(kernelPackage("linux-base")).To(BeFalse())
}
