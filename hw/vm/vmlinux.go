package vm

import (
	"bytes"
	"compress/gzip"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/klauspost/compress/zstd"
)

// Magic numbers of what a vmlinuz may carry.
var (
	xzMagic   = []byte{0xfd, '7', 'z', 'X', 'Z', 0}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	gzipMagic = []byte{0x1f, 0x8b, 0x08}
)

// extractVmlinux writes the ELF kernel inside a vmlinuz to a file: a guest that need not decompress it itself boots in
// half the time. It answers errNoVmlinux when there is none that QEMU can boot.
func extractVmlinux(ctx context.Context, vmlinuz, vmlinux string) error {
	image, err := os.ReadFile(vmlinuz)
	if err != nil {
		return err
	}
	if hasPVHNote(image) {
		return os.WriteFile(vmlinux, image, 0o644)
	}
	for _, c := range []struct {
		magic  []byte
		decode func(context.Context, []byte) []byte
	}{{xzMagic, decodeXZ}, {zstdMagic, decodeZstd}, {gzipMagic, decodeGzip}} {
		for rest, at := image, 0; ; {
			i := bytes.Index(rest, c.magic)
			if i < 0 {
				break
			}
			at += i
			if kernel := c.decode(ctx, image[at:]); hasPVHNote(kernel) {
				return os.WriteFile(vmlinux, kernel, 0o644)
			}
			at++
			rest = image[at:]
		}
	}
	return errors.Join(ctx.Err(), errNoVmlinux)
}

var errNoVmlinux = errors.New("no ELF kernel with a PVH entry inside")

// decodeXZ decodes a stream with anything behind it. The kernel's streams use the x86 filter, which no Go library
// knows.
func decodeXZ(ctx context.Context, data []byte) []byte {
	cmd := exec.CommandContext(ctx, "xz", "--decompress", "--single-stream", "--stdout")
	cmd.Stdin = bytes.NewReader(data)
	out, _ := cmd.Output() // judged by what came out
	return out
}

// decodeZstd decodes a stream with anything behind it.
func decodeZstd(_ context.Context, data []byte) []byte {
	const window = 1 << 30 // the kernel's streams are made with the largest windows
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil
	}
	defer z.Close()
	var out bytes.Buffer
	_, _ = io.Copy(&out, z) // ends in an error at what is behind the stream; judged by what came out
	return out.Bytes()
}

// decodeGzip decodes a stream with anything behind it.
func decodeGzip(_ context.Context, data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	z.Multistream(false)
	out, _ := io.ReadAll(z) // judged by what came out
	return out
}

// hasPVHNote tells whether an image is an ELF kernel that QEMU boots directly: it has Xen's note 18, the 32-bit entry.
func hasPVHNote(image []byte) bool {
	const entryNote = 18
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return false
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		notes, err := io.ReadAll(p.Open())
		if err != nil {
			return false
		}
		for len(notes) >= 12 {
			nameSize := binary.LittleEndian.Uint32(notes)
			size := binary.LittleEndian.Uint32(notes[4:])
			next := 12 + (uint64(nameSize)+3)&^3 + (uint64(size)+3)&^3
			if next > uint64(len(notes)) {
				break
			}
			if binary.LittleEndian.Uint32(notes[8:]) == entryNote && string(notes[12:12+nameSize]) == "Xen\x00" {
				return true
			}
			notes = notes[next:]
		}
	}
	return false
}
