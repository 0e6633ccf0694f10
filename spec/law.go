package spec

// Level says how binding a requirement is.
type Level string

// Levels of the law.
const (
	Must   Level = "MUST"   // a page promises it
	Is     Level = "IS"     // no page does, and a named application, example or test relies on it
	May    Level = "MAY"    // several answers are right; the one seen is recorded
	Hazard Level = "HAZARD" // undefined use; the allowed outcomes are listed
)

// Levels is every level, the most binding first.
func Levels() []Level { return []Level{Must, Is, May, Hazard} }

// Layer is the part of a stack that mends a violation.
type Layer string

// Layers of a stack, from the application down to the wire.
const (
	Librdmacm Layer = "librdmacm" // rdma-core's librdmacm
	RDMACM    Layer = "rdma_cm"   // the kernel's rdma_cm and rdma_ucm
	Uverbs    Layer = "uverbs"    // the kernel's ib_uverbs and ib_core
	Driver    Layer = "driver"    // the device's driver, kernel and user space
	Fabric    Layer = "fabric"    // switches and subnet manager
)

// Layers is every layer, from the application downwards.
func Layers() []Layer { return []Layer{Librdmacm, RDMACM, Uverbs, Driver, Fabric} }
