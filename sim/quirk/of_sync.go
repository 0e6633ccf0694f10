package quirk

import (
	"joinmcast/sim/kernel"
	"joinmcast/sim/librdmacm"
)

// ofSync are the quirks of synchronous ids, and of ids that migrate.
var ofSync = []Quirk{
	{
		Name:     "sync-ack-uncounted",
		Does:     "the caller's acknowledgement of the event of a synchronous id is not counted",
		CaughtBy: "JM-SYN-07",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncAckUncounted = true },
	},
	{
		Name:     "sync-destroy-hangs",
		Does:     "rdma_destroy_id of a synchronous id does not acknowledge its event",
		CaughtBy: "JM-SYN-08",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncDestroyKeepsEvent = true },
	},
	{
		Name:     "sync-errno-negative",
		Does:     "the errno of a failing join of a synchronous id is the negative status of its event",
		CaughtBy: "JM-SYN-04",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncErrnoIsNegative = true },
	},
	{
		Name:     "sync-failed-attach-untold",
		Does:     "a join of a synchronous id returns 0 when the attach fails",
		CaughtBy: "JM-SYN-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncHidesFailedAttach = true },
	},
	{
		Name:     "sync-join-drops-event",
		Does:     "a join of a synchronous id acknowledges its event before it returns",
		CaughtBy: "JM-SYN-01",
		Note:     "the caller finds no event, as with sync-join-returns-early, which leaves it unread",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncJoinDropsEvent = true },
	},
	{
		Name:     "sync-join-returns-early",
		Does:     "a join on a synchronous id returns before its event",
		CaughtBy: "JM-SYN-01",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncJoinReturnsEarly = true },
	},
	{
		Name:     "sync-leave-refused",
		Does:     "leave fails while a synchronous id holds an event",
		CaughtBy: "JM-SYN-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncLeaveRefused = true },
	},
	{
		Name:     "sync-refused-join-waits",
		Does:     "a join of a synchronous id waits for its event although the kernel has refused it",
		CaughtBy: "JM-SYN-06",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.SyncRefusedJoinWaits = true },
	},
	{
		Name:     "migrate-does-not-wait",
		Does:     "rdma_migrate_id does not wait for the acknowledgement of a retrieved event",
		CaughtBy: "JM-MIG-02",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.MigrateIgnoresAcks = true },
	},
	{
		Name:     "migrate-keeps-events",
		Does:     "unread events of an id that migrates stay on its old channel",
		CaughtBy: "JM-MIG-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.MigrateKeepsBack = true },
	},
	{
		Name:     "migrate-keeps-later",
		Does:     "events after rdma_migrate_id still go to the old channel",
		CaughtBy: "JM-MIG-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.MigrateKeepsLater = true },
	},
	{
		Name:     "migrate-keeps-memberships",
		Does:     "a membership can be left only on the channel of its join",
		CaughtBy: "JM-MIG-01",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.MigrateKeepsMembers = true },
	},
	{
		Name:     "migrate-loses-unread",
		Does:     "rdma_migrate_id loses unread events",
		CaughtBy: "JM-MIG-01",
		Note:     "the event reaches no new channel; migrate-keeps-events leaves it on the old one",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.MigrateLosesUnread = true },
	},
	{
		Name:     "migrate-needs-channel",
		Does:     "rdma_migrate_id refuses NULL for a channel",
		CaughtBy: "JM-MIG-03",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.MigrateNeedsChannel = true },
	},
	{
		Name:     "migrate-stays-async",
		Does:     "rdma_migrate_id to NULL does not make the id synchronous",
		CaughtBy: "JM-MIG-03",
		Note:     "no synchronous id comes of it, as with migrate-needs-channel, which says so",
		apply:    func(l *librdmacm.Deviations, _ *kernel.Deviations) { l.MigrateStaysAsync = true },
	},
	{
		Name:     "migrate-wakes-always",
		Does:     "poll(2) on a channel returns when an id migrates there, though it brings no event",
		CaughtBy: "JM-MIG-04",
		apply:    func(_ *librdmacm.Deviations, k *kernel.Deviations) { k.File.MigrateWakesAlways = true },
	},
}
