package simulate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/archive"
	"github.com/ladderback/ladderback/archive/intake"
	"github.com/ladderback/ladderback/archive/store"
	"github.com/ladderback/ladderback/market"
)

// Format is the format of the source that a simulation is in an archive.
const Format = "simulated"

// Generation is raised whenever the same Config gives other captures, or the
// archive that holds them is another one of the same version: a demo archive that
// was kept from before is then made anew.
const Generation = 6

// WriteOptions say how to write a simulation into an archive.
type WriteOptions struct {
	// Workers is how many rounds are made at once; default: one per processor.
	Workers int
	// Progress is told how many rounds are done, of all of them; nil: nobody is.
	// It is called from one goroutine at a time.
	Progress func(done, all int)
}

// Write writes every round into an archive, as one source identified by the
// Config alone: writing it again changes nothing. The archive's content does
// not depend on the number of workers.
func (s *Simulation) Write(ctx context.Context, a *archive.Archive, o WriteOptions) (done store.Source, err error) {
	src, err := s.source()
	if err != nil {
		return store.Source{}, err
	}
	imp, err := intake.New(a.Store(), intake.Config{}).Begin(ctx, src)
	if err != nil {
		return store.Source{}, fmt.Errorf("write simulation: %w", err)
	}
	defer func() { err = errors.Join(err, imp.Close()) }()
	if imp.Complete() {
		return imp.Source(), nil
	}
	for _, v := range s.Series() {
		if err := imp.Series(ctx, v); err != nil {
			return store.Source{}, fmt.Errorf("write simulation: %w", err)
		}
	}
	captures, err := s.writeRounds(ctx, imp, o)
	if err != nil {
		return store.Source{}, fmt.Errorf("write simulation: %w", err)
	}
	done, err = imp.Finish(ctx, intake.End{Messages: captures})
	if err != nil {
		return store.Source{}, fmt.Errorf("write simulation: %w", err)
	}
	return done, nil
}

// source describes the simulation as a source. Its SHA256 is that of the
// configuration's JSON, which stands for the file that there is none of.
func (s *Simulation) source() (store.Source, error) {
	text, err := json.Marshal(struct {
		Generation int
		Config     Config
	}{Generation, s.config})
	if err != nil {
		return store.Source{}, fmt.Errorf("write simulation: %w", err)
	}
	name := fmt.Sprintf("simulation with seed %d", s.config.Seed)
	if s.config.Fair {
		name = "fair " + name
	}
	return store.Source{
		SHA256: sha256.Sum256(text), Name: name, Size: int64(len(text)), Format: Format,
		Authority: store.FromExchange, Licence: "CC0-1.0", ImportedAt: s.Newest(),
	}, nil
}

// made is a round being written.
type made struct {
	event    market.Event
	market   *intake.MarketImport
	captures int64
	err      error
	ready    chan struct{}
}

// finish waits until the round is made and ends its import.
func (m *made) finish(ctx context.Context, imp *intake.Import) error {
	select {
	case <-m.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if m.err != nil {
		return m.err
	}
	if err := imp.Event(ctx, m.event); err != nil {
		return err
	}
	return m.market.Done(ctx)
}

// writeRounds makes rounds in parallel and hands them to the import one after
// the other, in their order. It returns how many captures there were.
func (s *Simulation) writeRounds(ctx context.Context, imp *intake.Import, o WriteOptions) (int64, error) {
	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	g, ctx := errgroup.WithContext(ctx)
	rounds := make(chan *made, 2*workers) // in order; bounds what is held in memory
	jobs := make(chan func())
	g.Go(func() error {
		defer close(rounds)
		defer close(jobs)
		for i := range s.Len() {
			m := &made{ready: make(chan struct{})}
			select {
			case rounds <- m:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case jobs <- func() { s.write(ctx, imp, i, m) }:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range workers {
		g.Go(func() error {
			for job := range jobs {
				job()
			}
			return nil
		})
	}
	captures := int64(0)
	g.Go(func() error {
		done := 0
		for m := range rounds {
			if err := m.finish(ctx, imp); err != nil {
				return err
			}
			captures += m.captures
			done++
			if o.Progress != nil {
				o.Progress(done, s.Len())
			}
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return 0, err
	}
	return captures, nil
}

// write makes the i-th round and adds what there is of it to the import.
func (s *Simulation) write(ctx context.Context, imp *intake.Import, i int, m *made) {
	defer close(m.ready)
	r := s.Round(i)
	m.event = r.Event
	if m.market, m.err = imp.Market(ctx, r.Market); m.err != nil {
		return
	}
	for _, g := range r.Gaps {
		m.market.Gap(g.Token, g.Gap)
	}
	for c := range r.Captures() {
		if m.err = m.market.Add(c); m.err != nil {
			return
		}
		m.captures++
	}
}
