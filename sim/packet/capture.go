package packet

import (
	"encoding/binary"
	"io"
	"slices"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"joinmcast/sim/fabric"
)

// Capture keeps what the wires of a world carry, as their tap. The zero value is ready.
type Capture struct{ kept []kept }

// kept is a frame or a packet on one of the wires.
type kept struct {
	link  layers.LinkType
	bytes func() ([]byte, error)
}

// linkERF is the link type of Endace's records, which ibdump writes and Wireshark knows InfiniBand by.
const linkERF layers.LinkType = 197

// See keeps a frame of the Ethernet.
func (c *Capture) See(f fabric.Frame) {
	c.kept = append(c.kept, kept{layers.LinkTypeEthernet, func() ([]byte, error) { return Bytes(f) }})
}

// SeePacket keeps a packet of the InfiniBand subnet.
func (c *Capture) SeePacket(p fabric.Packet) {
	c.kept = append(c.kept, kept{linkERF, func() ([]byte, error) {
		b, err := OfSubnet(p)
		return append(erf(len(b)), b...), err
	}})
}

// erf is the header of a record of so many bytes. Its own time stamp is left out: the file has one.
func erf(length int) []byte {
	const (
		headerBytes    = 16
		typeInfiniBand = 21
		varyingLength  = 4
	)
	h := make([]byte, headerBytes)
	h[8], h[9] = typeInfiniBand, varyingLength
	binary.BigEndian.PutUint16(h[10:], uint16(headerBytes+length))
	binary.BigEndian.PutUint16(h[14:], uint16(length))
	return h
}

// Write writes them as pcapng, an interface for each kind of wire. A simulated world has no clock: the n-th frame is
// stamped n microseconds after the epoch, so that the same frames always make the same file.
func (c *Capture) Write(w io.Writer) error {
	var wires []layers.LinkType // by their number in the file
	for _, k := range c.kept {
		if !slices.Contains(wires, k.link) {
			wires = append(wires, k.link)
		}
	}
	if len(wires) == 0 {
		wires = append(wires, layers.LinkTypeEthernet) // a file must have one
	}
	out, err := pcapgo.NewNgWriterInterface(w, named(wires[0]),
		pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "joinmcast"}})
	if err != nil {
		return err
	}
	for _, wire := range wires[1:] {
		if _, err := out.AddInterface(named(wire)); err != nil {
			return err
		}
	}
	for i, k := range c.kept {
		b, err := k.bytes()
		if err != nil {
			return err
		}
		info := gopacket.CaptureInfo{
			Timestamp: time.UnixMicro(int64(i + 1)), CaptureLength: len(b), Length: len(b),
			InterfaceIndex: slices.Index(wires, k.link),
		}
		if err := out.WritePacket(info, b); err != nil {
			return err
		}
	}
	return out.Flush()
}

// named is a wire as the file describes it.
func named(wire layers.LinkType) pcapgo.NgInterface {
	name := "wire"
	if wire == linkERF {
		name = "subnet"
	}
	return pcapgo.NgInterface{Name: name, LinkType: wire}
}
