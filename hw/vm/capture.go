package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gopacket/gopacket/pcapgo"
)

// captureName is the file in a pair's folder that QEMU dumps the wire to, as pcap.
const captureName = "wire.pcap"

// capture begins to dump what a guest's network device sends and receives. With two guests on a wire, that of one is
// the whole wire, from before it runs: the filter is put in while the guest stands still, so it is no part of what was
// saved.
func (g *guestProcess) capture(ctx context.Context) error {
	return g.qmp.execute(ctx, "object-add", map[string]any{
		"qom-type": "filter-dump", "id": "capture", "netdev": "wire", "file": captureName,
	})
}

// WriteWire writes what the wire has carried until now as pcapng: Ethernet frames as guest a sent and received them,
// stamped by the guest's clock. Of a lab that does not capture it is an error.
func (p *Pair) WriteWire(w io.Writer) error {
	if !p.captures {
		return errors.New("the wire was not captured: the lab was opened without Capture")
	}
	f, err := os.Open(filepath.Join(p.dir, captureName))
	if err != nil {
		return fmt.Errorf("the captured wire: %w", err)
	}
	defer func() { _ = f.Close() }()
	in, err := pcapgo.NewReader(f)
	if err != nil {
		return fmt.Errorf("the captured wire: %w", err)
	}
	out, err := pcapgo.NewNgWriterInterface(w, pcapgo.NgInterface{Name: "wire", LinkType: in.LinkType()},
		pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "joinmcast"}})
	if err != nil {
		return err
	}
	for {
		frame, info, err := in.ReadPacketData()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // QEMU may be in the midst of a frame
			return out.Flush()
		}
		if err != nil {
			return fmt.Errorf("the captured wire: %w", err)
		}
		if err := out.WritePacket(info, frame); err != nil {
			return err
		}
	}
}
