package world

// Together runs bodies beside each other, each in a thread of its own, and returns when all have ended. It must be
// called from the body of a Process's Call, whose process they belong to. A body gives the others a chance wherever it
// sleeps or pauses.
func (w *World) Together(method string, bodies []func()) {
	p := w.running.process
	var threads []*thread
	for _, body := range bodies {
		t := w.start(p, method, func() error {
			body()
			return nil
		})
		t.ready = always
		threads = append(threads, t)
	}
	w.Sleep(func() bool {
		for _, t := range threads {
			if !t.done {
				return false
			}
		}
		return true
	})
}

// Pause lets other threads and pending work go first, if the seed says so. It must be called from the body of a
// Process's Call.
func (w *World) Pause() {
	if w.running != nil {
		w.running.park(always)
		return
	}
	for !w.idle() && w.letHappen(true) != caller {
	}
}

func always() bool { return true }
