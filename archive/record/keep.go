package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/ladderback/ladderback/market"
)

// keeping hands files to the Keeper, in order, again and again until it takes
// them.
type keeping struct {
	r       *Recorder
	problem atomic.Pointer[string]
	kept    atomic.Pointer[string] // name of the last file taken

	mu    sync.Mutex
	todo  []handed
	ready chan struct{}
	twice chan struct{} // closed when the Keeper has said ErrTwice
}

// handed are files that were cut at one time, and until when they make the
// recording whole.
type handed struct {
	paths []string
	until market.Instant
}

func newKeeping(r *Recorder) *keeping {
	return &keeping{r: r, ready: make(chan struct{}, 1), twice: make(chan struct{})}
}

func (k *keeping) add(paths []string, until market.Instant) {
	if k.r.c.Keeper == nil {
		k.r.watermark.Store(int64(until))
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.todo = append(k.todo, handed{paths, until})
	select {
	case k.ready <- struct{}{}:
	default:
	}
}

func (k *keeping) waiting() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, h := range k.todo {
		n += len(h.paths)
	}
	return n
}

// last returns the name of the last file that was taken.
func (k *keeping) last() string {
	if name := k.kept.Load(); name != nil {
		return *name
	}
	return ""
}

// run hands files over until logged is closed and none is left, or ctx ends. Its error
// is ErrTwice.
func (k *keeping) run(ctx context.Context, logged <-chan struct{}) error {
	if k.r.c.Keeper == nil {
		return nil
	}
	tries := 0
	for {
		k.mu.Lock()
		var next handed
		have := len(k.todo) > 0
		if have {
			next = k.todo[0]
		}
		k.mu.Unlock()
		if !have {
			select {
			case <-k.ready:
				continue
			case <-logged:
			}
			if k.waiting() == 0 {
				return nil
			}
			continue
		}
		err := k.hand(ctx, next)
		if err == nil {
			tries = 0
			continue
		}
		if errors.Is(err, ErrTwice) {
			close(k.twice)
			return err
		}
		if ctx.Err() != nil {
			k.r.c.Log.Warn("files wait for the next run", "files", k.waiting())
			return nil
		}
		wait := min(k.r.c.BackoffMax, k.r.c.BackoffMin<<min(tries, 20))
		tries++
		if !pause(ctx, wait) {
			k.r.c.Log.Warn("files wait for the next run", "files", k.waiting())
			return nil
		}
	}
}

// hand hands over the files of one cut.
func (k *keeping) hand(ctx context.Context, h handed) error {
	for _, path := range h.paths {
		err := k.r.c.Keeper.Keep(ctx, path)
		if errors.Is(err, os.ErrNotExist) {
			err = nil // somebody took it away
		}
		if err != nil {
			k.r.keepFails.Add(1)
			text := "archive: " + err.Error()
			k.problem.Store(&text)
			k.r.c.Log.Warn("file not taken; trying again", "file", path, "error", err)
			return err
		}
		k.r.kept.Add(1)
		name := filepath.Base(path)
		k.kept.Store(&name)
		if !k.r.c.KeepFiles {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				k.r.c.Log.Warn("file not removed", "file", path, "error", err)
			}
		}
	}
	k.problem.Store(nil)
	k.r.watermark.Store(int64(h.until))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.todo = k.todo[1:]
	return nil
}
