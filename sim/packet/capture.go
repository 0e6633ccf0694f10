package packet

import (
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"joinmcast/sim/fabric"
)

// Capture keeps frames, as the tap of a switch. The zero value is ready.
type Capture struct{ frames []fabric.Frame }

// See keeps a frame.
func (c *Capture) See(f fabric.Frame) { c.frames = append(c.frames, f) }

// Write writes the frames as pcapng. A simulated world has no clock: the n-th frame is stamped n microseconds after
// the epoch, so that the same frames always make the same file.
func (c *Capture) Write(w io.Writer) error {
	out, err := pcapgo.NewNgWriterInterface(w,
		pcapgo.NgInterface{Name: "wire", LinkType: layers.LinkTypeEthernet},
		pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "joinmcast"}})
	if err != nil {
		return err
	}
	for i, f := range c.frames {
		b, err := Bytes(f)
		if err != nil {
			return err
		}
		info := gopacket.CaptureInfo{
			Timestamp: time.UnixMicro(int64(i + 1)), CaptureLength: len(b), Length: len(b),
		}
		if err := out.WritePacket(info, b); err != nil {
			return err
		}
	}
	return out.Flush()
}
