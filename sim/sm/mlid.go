package sm

// The range of multicast LIDs (IBTA, volume 1).
const (
	FirstMLID = 0xC000
	LastMLID  = 0xFFFE
)

// IsMLID tells whether a LID is of a multicast group.
func IsMLID(lid uint16) bool { return lid >= FirstMLID && lid <= LastMLID }

// freeMLID is the lowest MLID that no group has.
func (m *Manager) freeMLID() uint16 {
	mlid := uint16(FirstMLID)
	for m.routes[mlid] != nil {
		mlid++
	}
	return mlid
}
