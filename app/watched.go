package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive/sqlite/file"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// replacedEvery is the interval at which a server checks that its archive is
// still the file that it opened.
const replacedEvery = time.Second

// WatchedArchive is the archive that a server reads, reopened when another file
// takes its place.
type WatchedArchive struct {
	open  func(context.Context) (Reader, error)
	mu    sync.Mutex
	ar    Reader
	files []watchedFile // of the archive; those on servers are none
}

// watchedFile is a file of an archive that is watched.
type watchedFile struct {
	Address
	info os.FileInfo // when it was opened; nil: there was none
}

// OpenWatched opens the archive at the addresses given, which may be none for the demo archive,
// to be watched by watch. It caches that many bytes of answers.
func (a *App) OpenWatched(ctx context.Context, given []string, bytes int) (*WatchedArchive, error) {
	w := &WatchedArchive{open: func(ctx context.Context) (Reader, error) {
		ar, err := a.Read(ctx, given)
		if err == nil {
			ar.Remember(bytes)
		}
		return ar, err
	}}
	var err error
	if w.ar, err = w.open(ctx); err != nil {
		return nil, err
	}
	addrs, _ := a.Addresses(given) // they were opened
	for _, addr := range addrs {
		if !IsPostgres(addr.Target) {
			w.files = append(w.files, watchedFile{Address: addr})
		}
	}
	for i, info := range w.stat() {
		w.files[i].info = info
	}
	return w, nil
}

func (w *WatchedArchive) stat() []os.FileInfo {
	out := make([]os.FileInfo, len(w.files))
	for i := range w.files {
		out[i], _ = os.Stat(w.files[i].Target) // nil: it is not there at the moment
	}
	return out
}

// replaced lists the files that are no longer those that were opened. It waits for a
// missing file to come back.
func (w *WatchedArchive) replaced(now []os.FileInfo) (paths []string) {
	for i, f := range w.files {
		if now[i] != nil && (f.info == nil || !os.SameFile(now[i], f.info)) {
			paths = append(paths, f.Target)
		}
	}
	return paths
}

// overwritten lists the files that something has written to behind the archive's back.
func (w *WatchedArchive) overwritten(ctx context.Context) (paths []string) {
	for _, f := range w.files {
		if _, err := w.ar.Watermarks(ctx, cmp.Or(f.Category, market.Crypto)); errors.Is(err, store.ErrOverwritten) {
			paths = append(paths, f.Target)
		}
	}
	return paths
}

// settled reports whether the files were the same at two looks.
func settled(before, now []os.FileInfo) bool {
	return slices.EqualFunc(before, now, func(a, b os.FileInfo) bool {
		return a == nil && b == nil || a != nil && b != nil && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	})
}

// reopen opens the archive in place of the one that is open, which is closed first: the
// connections to both would share one log and its index. Beside a file that is new a log
// is that of the old one, and would be written into it: then nothing is opened.
func (w *WatchedArchive) reopen(ctx context.Context, replaced, overwritten []string) (Reader, error) {
	if err := merged(replaced); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := merged(append(replaced, overwritten...)); err != nil {
		return nil, err
	}
	return w.open(ctx)
}

// merged returns an error, which says what to do, if a log stands beside one of the files.
func merged(paths []string) error {
	for _, p := range paths {
		if err := file.Merged(p); err != nil {
			return err
		}
	}
	return nil
}

// replacing is what reads an archive that may be replaced.
type replacing interface {
	Replace(c api.Catalogue, rounds replay.Source)
}

// currentSource is the archive that a worker reads, which may be replaced while it runs.
type currentSource struct{ rounds atomic.Pointer[replay.Source] }

// Replace implements replacing.
func (s *currentSource) Replace(_ api.Catalogue, rounds replay.Source) { s.set(rounds) }

func (s *currentSource) set(rounds replay.Source) { s.rounds.Store(&rounds) }

func (s *currentSource) get() replay.Source { return *s.rounds.Load() }

// watch opens the archive anew when a file of it has been replaced or overwritten, and makes the
// server answer from it, until ctx ends. Until then the store refuses to be read,
// so that no answer is made of two files, and the server is not ready.
func (w *WatchedArchive) watch(ctx context.Context, server replacing, log *slog.Logger) {
	if len(w.files) == 0 {
		return
	}
	tick := time.NewTicker(replacedEvery)
	defer tick.Stop()
	told, before := "", w.stat()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, was := w.stat(), before
		before = now
		replaced, overwritten := w.replaced(now), w.overwritten(ctx)
		if len(replaced) == 0 && (len(overwritten) == 0 || !settled(was, now)) {
			continue
		}
		ar, err := w.reopen(ctx, replaced, overwritten)
		if err != nil {
			if text := err.Error(); text != told { // once, not every second
				log.Error("the archive was replaced by one that cannot be opened", slog.String("cause", text))
				told = text
			}
			continue
		}
		told = ""
		server.Replace(ar, ar)
		log.Warn("the archive was replaced: serving the new one", slog.String("archive", ar.Address()))
		w.mu.Lock()
		old := w.ar
		w.ar = ar
		for i := range now {
			w.files[i].info = now[i]
		}
		w.mu.Unlock()
		if err := old.Close(); err != nil {
			log.Warn("close the replaced archive", slog.String("cause", err.Error()))
		}
	}
}

// Close closes the archive that is open now.
func (w *WatchedArchive) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ar.Close()
}
