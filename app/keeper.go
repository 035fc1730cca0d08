package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/ingest"
	"github.com/ladderback/ladderback/archive/record"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/internal/sqlstore"
)

// Keeper imports recorded files into an archive, which it opens once it is available. It
// is used by one goroutine at a time.
type Keeper struct {
	a      *App
	target string
	ar     *archive.Archive // nil: not opened yet
	// series are recorded by this process alone while claimed holds them; nil: what is
	// kept is no recording.
	series  []string
	claimed *sqlstore.Claim // nil: not yet
}

// Keeper opens the archive that a recording writes to. A server that does not answer
// does not prevent recording: it is tried again.
func (a *App) Keeper(ctx context.Context, given []string) (*Keeper, error) {
	target, err := a.ToWrite(given, "record")
	if err != nil {
		return nil, err
	}
	k := &Keeper{a: a, target: target}
	if k.ar, err = a.Create(ctx, target); err != nil && !IsPostgres(target) && !errors.Is(err, store.ErrLocked) {
		return nil, err
	} else if err != nil {
		k.ar = nil
		a.Say("%v. Recording into files until it answers.", err)
	}
	return k, nil
}

// Archive returns the archive; nil: it has not answered yet.
func (k *Keeper) Archive() *archive.Archive { return k.ar }

// Close lets go of the archive.
func (k *Keeper) Close() error {
	var errs []error
	if k.claimed != nil {
		errs = append(errs, k.claimed.Close())
	}
	if k.ar != nil {
		errs = append(errs, k.ar.Close())
	}
	return errors.Join(errs...)
}

// ClaimSeries makes sure that no other recorder feeds the archive with these series:
// record.ErrTwice. Where the archive does not answer, it is claimed once it does.
func (k *Keeper) ClaimSeries(ctx context.Context, series []string) error {
	k.series = series
	if err := k.claim(ctx); err != nil && (k.ar != nil || errors.Is(err, record.ErrTwice)) {
		return err
	}
	return nil
}

// claim makes sure that no other recorder feeds the archive with the same series:
// record.ErrTwice. A server that was away has let go of what was claimed.
func (k *Keeper) claim(ctx context.Context) error {
	if k.claimed != nil && k.claimed.Holds(ctx) {
		return nil
	}
	if k.claimed != nil {
		_ = k.claimed.Close() // there is nothing left to let go of
	}
	target, err := filepath.EvalSymlinks(k.target)
	if err != nil { // an address, or a file to come
		target = k.target
	}
	if k.claimed, err = sqlstore.Alone(ctx, k.target, target+recordingName, k.series); errors.Is(err, sqlstore.ErrTaken) {
		return fmt.Errorf("%w: %w", record.ErrTwice, err)
	}
	return err
}

// Keep implements record.Keeper. A file that cannot be read is set aside under
// another name, since handing it over again would be in vain.
func (k *Keeper) Keep(ctx context.Context, path string) error {
	if k.ar == nil {
		ar, err := k.a.Create(ctx, k.target)
		if err != nil {
			return err
		}
		k.ar = ar
	}
	if k.series != nil {
		if err := k.claim(ctx); err != nil {
			return err
		}
	}
	result, err := ingest.Run(ctx, k.ar, ingest.Options{Paths: []string{path}, Workers: 1, Alone: k.series != nil})
	if errors.Is(err, store.ErrTwice) {
		return fmt.Errorf("%w: %w; what this one received stays in %s", record.ErrTwice, err, filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	for _, file := range result.Failed() {
		if errors.Is(file.Err, store.ErrAgain) {
			return file.Err
		}
		if !file.Whole { // one that holds nothing usable is taken all the same
			k.a.Say("%s: %v. It is kept as %s%s.", file.Path, file.Err, file.Path, unreadName)
			return os.Rename(path, path+unreadName)
		}
	}
	return nil
}

// recordingName ends the name of the folder beside an archive's file.
const recordingName = ".recording"

// unreadName ends the names of files that could not be read.
const unreadName = ".unread"

// Spool returns the folder of files that wait for the archive: beside a file, else in the
// cache.
func (k *Keeper) Spool() (string, error) {
	if !IsPostgres(k.target) {
		return k.target + recordingName, nil
	}
	dir, err := k.a.CacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, fmt.Sprintf("recording-%x", sha256.Sum256([]byte(k.target)))[:len("recording-")+12]), nil
}
