package librdmacm

import (
	"joinmcast/sim/uabi"
	"joinmcast/spec"
)

// channel is a struct rdma_event_channel: the descriptor of an open file of the rdma_cm device.
type channel struct{ fd int }

// CreateEventChannel is rdma_create_event_channel.
func (l *Library) CreateEventChannel() (spec.Channel, error) {
	ch, err := l.openChannel()
	if err != nil {
		return 0, null("rdma_create_event_channel", err)
	}
	h := spec.Channel(l.next())
	l.channels.add(h, ch)
	return h, nil
}

func (l *Library) openChannel() (*channel, error) {
	if err := l.init(); err != nil && !l.deviates.OpensChannelsAnywhere {
		return nil, err
	}
	if err := l.allocate(spec.Malloc); err != nil {
		return nil, err
	}
	fd, err := l.kernel.OpenCM()
	if err != nil {
		return nil, err
	}
	l.blocks++
	return &channel{fd}, nil
}

// file is the open file that a channel has now.
func (l *Library) file(ch *channel) uabi.CM { return l.kernel.CM(ch.fd) }

// closeChannel closes a channel's file and frees it; what close(2) answers is lost.
func (l *Library) closeChannel(ch *channel) {
	_ = l.file(ch).Close()
	l.blocks--
}

// DestroyEventChannel is rdma_destroy_event_channel, which is void.
func (l *Library) DestroyEventChannel(h spec.Channel) error {
	ch := l.channels.deref(h)
	l.channels.remove(h)
	l.closeChannel(ch)
	return nil
}

// SetNonblock is fcntl(2) on the channel's file descriptor.
func (l *Library) SetNonblock(h spec.Channel, on bool) error {
	return l.minusOne("fcntl", l.file(l.channels.deref(h)).SetNonblock(on))
}

// PollChannel is poll(2) on the channel's file descriptor.
func (l *Library) PollChannel(h spec.Channel) error {
	return l.minusOne("poll", l.file(l.channels.deref(h)).Poll())
}

// SetFD is an assignment to channel->fd.
func (l *Library) SetFD(h spec.Channel, fd int) (old int) {
	ch := l.channels.deref(h)
	old, ch.fd = ch.fd, fd
	return old
}
