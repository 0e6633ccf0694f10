package vm

import (
	"bytes"
	"encoding/binary"
)

// elfWithSection is the smallest relocatable ELF file with one section of a name and a content.
func elfWithSection(name, content string) []byte {
	const headerSize, sectionSize = 64, 64
	names := "\x00" + name + "\x00.shstrtab\x00"
	contentAt := uint64(headerSize)
	namesAt := contentAt + uint64(len(content))
	tableAt := namesAt + uint64(len(names))
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
	}
	b.WriteString("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	put(uint16(1), uint16(62), uint32(1), uint64(0), uint64(0), tableAt, uint32(0))
	put(uint16(headerSize), uint16(0), uint16(0), uint16(sectionSize), uint16(3), uint16(2))
	b.WriteString(content)
	b.WriteString(names)
	section := func(nameAt, kind uint32, at, size uint64) {
		put(nameAt, kind, uint64(0), uint64(0), at, size, uint32(0), uint32(0), uint64(1), uint64(0))
	}
	section(0, 0, 0, 0)
	section(1, 1, contentAt, uint64(len(content)))
	section(uint32(len(name)+2), 3, namesAt, uint64(len(names)))
	return b.Bytes()
}

// elfWithNote is the smallest ELF file with one segment of notes.
func elfWithNote(notes string) []byte {
	const headerSize, segmentSize = 64, 56
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
	}
	b.WriteString("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	put(uint16(2), uint16(62), uint32(1), uint64(0), uint64(headerSize), uint64(0), uint32(0))
	put(uint16(headerSize), uint16(segmentSize), uint16(1), uint16(0), uint16(0), uint16(0))
	at, size := uint64(headerSize+segmentSize), uint64(len(notes))
	put(uint32(4), uint32(4), at, uint64(0), uint64(0), size, size, uint64(4))
	b.WriteString(notes)
	return b.Bytes()
}
