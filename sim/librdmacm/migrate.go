package librdmacm

import "joinmcast/spec"

// MigrateID is rdma_migrate_id. NULL for the channel makes the id synchronous. It waits until every event of the id
// that was read is acknowledged.
func (l *Library) MigrateID(h spec.ID, to spec.Channel) error {
	return l.minusOne("rdma_migrate_id", l.migrate(l.ids.deref(h), to))
}

func (l *Library) migrate(id *cmID, to spec.Channel) error {
	if to == 0 && (id.sync || l.deviates.MigrateNeedsChannel) {
		return spec.EINVAL
	}
	var ch *channel
	if to == 0 {
		var err error
		if ch, err = l.openChannel(); err != nil {
			return err
		}
	} else {
		ch = l.channels.deref(to)
	}
	reported, err := l.file(ch).MigrateID(id.kernelID, id.channel.fd)
	if err != nil {
		if to == 0 {
			l.closeChannel(ch)
		}
		return err
	}
	if id.sync {
		l.ackOwn(id)
		l.closeChannel(id.channel)
	}
	id.sync, id.channel = to == 0 && !l.deviates.MigrateStaysAsync, ch
	if !l.deviates.MigrateIgnoresAcks {
		l.world.Sleep(func() bool { return id.eventsCompleted >= reported })
	}
	return nil
}
