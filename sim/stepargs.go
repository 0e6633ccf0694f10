package sim

import (
	"encoding/binary"
	"reflect"

	"joinmcast/spec"
)

// The arguments of a script's step are known by their types alone: what is a handle, and what is a group.
var (
	handleTypes = map[reflect.Type]bool{
		reflect.TypeFor[spec.Channel]():  true,
		reflect.TypeFor[spec.ID]():       true,
		reflect.TypeFor[spec.QP]():       true,
		reflect.TypeFor[spec.AH]():       true,
		reflect.TypeFor[spec.EventRef](): true,
		reflect.TypeFor[spec.RawFile]():  true,
	}
	sockaddrType = reflect.TypeFor[spec.Sockaddr]()
	gidType      = reflect.TypeFor[spec.GID]()
)

// each visits the values within v, from the first field to the last, until visit says that it has seen enough.
func each(v reflect.Value, visit func(reflect.Value) (enough bool)) (enough bool) {
	if visit(v) {
		return true
	}
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return each(v.Elem(), visit)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if each(v.Field(i), visit) {
				return true
			}
		}
	}
	return false
}

// takeHandles puts what earlier steps gave in place of handles of spec.FromStep.
func takeHandles(args any, given []uint32) {
	each(reflect.ValueOf(args), func(v reflect.Value) bool {
		if handleTypes[v.Type()] {
			if k, ok := spec.StepOf(uint32(v.Uint())); ok {
				v.SetUint(0)
				if k < len(given) {
					v.SetUint(uint64(given[k]))
				}
			}
		}
		return false
	})
}

// handleIn is the handle that an answer gives: its first one.
func handleIn(answer any) (h uint32) {
	each(reflect.ValueOf(answer), func(v reflect.Value) bool {
		if handleTypes[v.Type()] {
			h = uint32(v.Uint())
			return true
		}
		return false
	})
	return h
}

// advance adds n to the groups in arguments.
func advance(args any, n uint32) {
	each(reflect.ValueOf(args), func(v reflect.Value) bool {
		switch v.Type() {
		case sockaddrType:
			addTo(lastFour(v.Bytes()), n)
		case gidType:
			addTo(v.Slice(12, 16).Bytes(), n)
		}
		return false
	})
}

// lastFour is the end of a sockaddr's address.
func lastFour(a spec.Sockaddr) []byte {
	switch {
	case a.Family() == spec.AFInet && len(a) >= spec.SizeofSockaddrIn:
		return a[4:8]
	case len(a) >= spec.SizeofSockaddrIn6:
		return a[20:24]
	}
	return nil
}

func addTo(b []byte, n uint32) {
	if b != nil {
		binary.BigEndian.PutUint32(b, binary.BigEndian.Uint32(b)+n)
	}
}
