package conformance

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"

	"joinmcast/conformance/suite"
)

func TestMain(m *testing.M) { os.Exit(suite.Main(m.Run)) }

func TestConformance(t *testing.T) {
	name, suiteConfig, reporterConfig := suite.Prepare()
	RunSpecs(t, name, suiteConfig, reporterConfig)
}
