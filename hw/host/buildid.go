package main

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
)

// rdmaModule matches the names of modules that belong to RDMA.
var rdmaModule = regexp.MustCompile(`^(rdma_.*|ib_.*|iw_.*|siw|mlx[45]_.*|mlx4_ib|bnxt_re|irdma|i40iw|hfi1|qedr|efa|` +
	`erdma|hns_roce.*|mana_ib|ocrdma|vmw_pvrdma|usnic_verbs|cxgb4|iw_cxgb4|udp_tunnel|ip6_udp_tunnel)$`)

// moduleBuildIDs are the build-ids of the loaded RDMA modules; a module without one has an empty id.
func moduleBuildIDs() map[string]string {
	ids := map[string]string{}
	dirs, _ := filepath.Glob("/sys/module/*/initstate") // built-in code has no state
	for _, state := range dirs {
		name := filepath.Base(filepath.Dir(state))
		if !rdmaModule.MatchString(name) {
			continue
		}
		notes, _ := os.ReadFile(filepath.Join(filepath.Dir(state), "notes/.note.gnu.build-id"))
		ids[name] = noteBuildID(notes)
	}
	return ids
}

// noteBuildID is the build-id in a section of ELF notes, in hexadecimal; empty when there is none.
func noteBuildID(notes []byte) string {
	const header, gnuBuildID = 12, 3
	for len(notes) >= header {
		nameSize, size := binary.LittleEndian.Uint32(notes), binary.LittleEndian.Uint32(notes[4:])
		typ := binary.LittleEndian.Uint32(notes[8:])
		start := header + uint64(nameSize+3)&^3
		end := start + uint64(size)
		if end > uint64(len(notes)) {
			return ""
		}
		if typ == gnuBuildID && string(notes[header:header+nameSize]) == "GNU\x00" {
			return hex.EncodeToString(notes[start:end])
		}
		notes = notes[min((end+3)&^3, uint64(len(notes))):]
	}
	return ""
}
