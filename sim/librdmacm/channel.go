package librdmacm

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// channel is a struct rdma_event_channel: an open file of the rdma_cm device.
type channel struct {
	file uabi.CM
}

// CreateEventChannel is rdma_create_event_channel.
func (l *Library) CreateEventChannel() (spec.Channel, error) {
	ch, err := l.openChannel()
	if err != nil {
		return 0, null("rdma_create_event_channel", err)
	}
	h := spec.Channel(l.next())
	l.channels[h] = ch
	return h, nil
}

func (l *Library) openChannel() (*channel, error) {
	f, err := l.kernel.OpenCM()
	if err != nil {
		return nil, err
	}
	return &channel{f}, nil
}

// DestroyEventChannel is rdma_destroy_event_channel, which is void: what close(2) answers is lost.
func (l *Library) DestroyEventChannel(h spec.Channel) error {
	ch := deref(l.channels, h)
	delete(l.channels, h)
	_ = ch.file.Close()
	return nil
}

// SetNonblock is fcntl(2) on the channel's file descriptor.
func (l *Library) SetNonblock(h spec.Channel, on bool) error {
	return l.minusOne("fcntl", deref(l.channels, h).file.SetNonblock(on))
}

// PollChannel is poll(2) on the channel's file descriptor.
func (l *Library) PollChannel(h spec.Channel) error {
	return l.minusOne("poll", deref(l.channels, h).file.Poll())
}
