package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ladderback/ladderback/api"
	"github.com/ladderback/ladderback/archive/sqlite"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

// replacedEvery is the interval at which a server checks that its archive is
// still the file that it opened.
const replacedEvery = time.Second

// heldArchive is the archive that a server reads, reopened when another file
// takes its place.
type heldArchive struct {
	mu    sync.Mutex
	ar    reader
	paths []string      // of the files of the archive; those on servers are none
	files []os.FileInfo // at paths, when they were opened; nil: there was none
}

// hold returns ar, opened from the addresses given, as an archive to be watched.
func (a *app) hold(ar reader, given []string) *heldArchive {
	h := &heldArchive{ar: ar}
	addrs, _ := a.addresses(given) // they were opened
	for _, addr := range addrs {
		if !isPostgres(addr.target) {
			h.paths = append(h.paths, addr.target)
		}
	}
	h.files = h.look()
	return h
}

func (h *heldArchive) look() []os.FileInfo {
	out := make([]os.FileInfo, len(h.paths))
	for i, p := range h.paths {
		out[i], _ = os.Stat(p) // nil: it is not there at the moment
	}
	return out
}

// replaced reports whether the files at the paths are no longer those that were
// opened. It waits for a missing file to come back.
func (h *heldArchive) replaced(now []os.FileInfo) bool {
	for i := range now {
		if now[i] != nil && (h.files[i] == nil || !os.SameFile(now[i], h.files[i])) {
			return true
		}
	}
	return false
}

// overwritten reports whether something has written to a file of the archive behind
// its back.
func (h *heldArchive) overwritten(ctx context.Context) bool {
	for _, c := range []market.Category{market.Crypto, market.Sports} { // they may be in a file each
		if _, err := h.ar.Watermarks(ctx, c); errors.Is(err, store.ErrOverwritten) {
			return true
		}
	}
	return false
}

// settled reports whether the files were the same at two looks.
func settled(before, now []os.FileInfo) bool {
	return slices.EqualFunc(before, now, func(a, b os.FileInfo) bool {
		return a == nil && b == nil || a != nil && b != nil && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
	})
}

// again opens the archive in place of the one that is held. One that was overwritten
// is closed first: its connections share the log of the old one.
func (h *heldArchive) again(ctx context.Context, overwritten bool, reopen func(context.Context) (reader, error)) (reader, error) {
	if !overwritten {
		return reopen(ctx)
	}
	if err := h.Close(); err != nil {
		return nil, err
	}
	for _, p := range h.paths {
		if err := sqlite.Merged(p); err != nil {
			return nil, err
		}
	}
	return reopen(ctx)
}

// replacing is what reads an archive that may be replaced.
type replacing interface {
	Replace(c api.Catalogue, rounds replay.Source)
}

// holder is the archive that a worker reads, which may be replaced while it runs.
type holder struct{ rounds atomic.Pointer[replay.Source] }

// Replace implements replacing.
func (h *holder) Replace(_ api.Catalogue, rounds replay.Source) { h.set(rounds) }

func (h *holder) set(rounds replay.Source) { h.rounds.Store(&rounds) }

func (h *holder) get() replay.Source { return *h.rounds.Load() }

// watch opens the archive anew when a file of it has been replaced or overwritten, and makes the
// server answer from it, until ctx ends. Until then the store refuses to be read,
// so that no answer is made of two files, and the server is not ready.
func (h *heldArchive) watch(ctx context.Context, server replacing, log *slog.Logger, reopen func(context.Context) (reader, error)) {
	if len(h.paths) == 0 {
		return
	}
	tick := time.NewTicker(replacedEvery)
	defer tick.Stop()
	told, before := "", h.files
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, was := h.look(), before
		before = now
		overwritten := h.overwritten(ctx)
		if !h.replaced(now) && (!overwritten || !settled(was, now)) {
			continue
		}
		ar, err := h.again(ctx, overwritten, reopen)
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
		h.mu.Lock()
		old := h.ar
		h.ar, h.files = ar, now
		h.mu.Unlock()
		if err := old.Close(); err != nil {
			log.Warn("close the replaced archive", slog.String("cause", err.Error()))
		}
	}
}

// Close closes the archive that is held now.
func (h *heldArchive) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ar.Close()
}
