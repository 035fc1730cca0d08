package parts

import (
	"context"
	"fmt"
	"sync"

	"github.com/ladderback/ladderback/replay"
)

// mostKept is of how many markets a plan keeps the rounds at most: some 2.5 KB each.
const mostKept = 20_000

// kept are the rounds of a whole plan as an archive had them after a write. Chunks that
// are replayed one after the other by one process do not list them again, nor what the
// first pass has found of their tops, unless the archive has been written to.
type kept struct {
	lock   sync.Mutex
	src    replay.Source // nil: nothing is kept
	write  int64
	sample *replay.Sample
	ready  replay.Source // src, prepared for the sample
}

// teller is a Source that tells its states apart: while Written is the same, so is what
// all other methods give.
type teller interface {
	Written(ctx context.Context) (int64, error)
}

// writeOf returns the last write to a source that can tell; else zero.
func writeOf(ctx context.Context, src replay.Source) (int64, error) {
	w, ok := src.(teller)
	if !ok {
		return 0, nil
	}
	write, err := w.Written(ctx)
	if err != nil {
		return 0, fmt.Errorf("plan: %w", err)
	}
	return write, nil
}

// put keeps the rounds of a source, which were read after a write, if it can tell of the
// next one.
func (k *kept) put(src replay.Source, write int64, s *replay.Sample) {
	if _, ok := src.(teller); ok && len(s.Rounds) <= mostKept {
		k.src, k.write, k.sample, k.ready = src, write, s, s.Prepare(src)
	}
}

// sample returns the markets [from, to) of the plan as the archive has them, which must
// be as they were planned, and what reads their captures.
func (p *Plan) sample(ctx context.Context, src replay.Source, j *Job, from, to int) (*replay.Sample, replay.Source, error) {
	write, err := writeOf(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	k := &p.kept
	k.lock.Lock() // the first lists for all
	defer k.lock.Unlock()
	if _, ok := src.(teller); ok && k.src == nil && len(p.Rounds) <= mostKept {
		all, err := p.list(ctx, src, j, 0, len(p.Rounds))
		if err != nil {
			return nil, nil, err
		}
		k.put(src, write, all)
	}
	if k.src == src && k.write == write {
		return k.sample.Part(from, to), k.ready, nil
	}
	s, err := p.list(ctx, src, j, from, to)
	return s, src, err
}
