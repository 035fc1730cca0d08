package record

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ladderback/ladderback/market"
)

// followed is a round with how far it has come.
type followed struct {
	listing
	resumed bool           // an earlier run found it, and this one has not
	left    bool           // its tokens are no longer recorded
	ask     market.Instant // when its outcome is asked for next
}

// finder finds rounds and asks for their outcomes.
type finder struct {
	r      *Recorder
	rounds map[string]*followed // by slug
}

// find runs until ctx ends.
func (r *Recorder) find(ctx context.Context) error {
	f := &finder{r: r, rounds: map[string]*followed{}}
	for slug, event := range r.start.Undecided {
		f.rounds[slug] = &followed{listing: listing{round: round{slug: slug, event: event}}, left: true}
	}
	for slug, x := range r.start.Rounds {
		f.rounds[slug] = &followed{listing: listing{round: *x}, resumed: true}
		f.follow(f.rounds[slug])
	}
	tick := time.NewTicker(min(r.c.Find, r.c.Resolve))
	defer tick.Stop()
	var looked time.Time
	for {
		if looked.IsZero() || time.Since(looked) >= r.c.Find {
			looked = time.Now()
			f.look(ctx)
		}
		f.leave()
		f.outcomes(ctx)
		r.undecided.Store(int64(len(f.rounds)))
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// look asks for the rounds ahead in every series.
func (f *finder) look(ctx context.Context) {
	r := f.r
	var all []string
	for _, coin := range r.c.Coins {
		for _, typ := range r.c.Types {
			all = append(all, seriesSlugs(coin, typ)...)
		}
	}
	all = append(all, r.c.Series...)
	for _, slug := range all {
		now := r.now.wallTime()
		found, err := r.gamma.series(ctx, slug, now, now+market.Instant(r.c.Lead.Microseconds()))
		if err != nil && ctx.Err() == nil {
			r.findFails.Add(1)
			r.c.Log.Warn("rounds not listed", "series", slug, "error", brief(err))
		}
		for _, l := range found {
			f.take(l)
		}
	}
}

// take begins to follow a round that is new.
func (f *finder) take(l listing) {
	switch was := f.rounds[l.slug]; {
	case was != nil && was.resumed:
		was.resumed = false
		f.list(l)
	case was == nil || was.left && was.tokens == nil:
		f.rounds[l.slug] = &followed{listing: l}
		f.list(l)
		f.r.c.Log.Info("round found", "slug", l.slug, "start", l.start, "end", l.end)
		f.follow(f.rounds[l.slug])
	}
}

// follow begins to record a round, or, when it is over, to tell what is missing of it.
func (f *finder) follow(x *followed) {
	r := f.r
	r.rounds.Add(1)
	r.queue.push(item{kind: itemFollow, round: &x.round})
	if !f.over(x) {
		r.shards.add(&x.round)
	}
}

// over reports whether nothing more of a round is to be recorded.
func (f *finder) over(x *followed) bool {
	return f.r.now.wallTime() >= x.end+market.Instant(f.r.c.After.Microseconds())
}

// list writes down what the exchange says of a round.
func (f *finder) list(l listing) {
	f.r.queue.push(item{kind: itemListing, data: l.raw, round: &l.round, reason: outcomeWord(l.decided)})
}

const decidedWord = "decided"

func outcomeWord(decided bool) string {
	if decided {
		return decidedWord
	}
	return ""
}

// leave ends what is over.
func (f *finder) leave() {
	r := f.r
	for _, slug := range f.slugs() {
		x := f.rounds[slug]
		if x.left || !f.over(x) {
			continue
		}
		x.left = true
		r.rounds.Add(-1)
		// After the last message of them is in the queue.
		r.shards.remove(x.tokens, func() { r.queue.push(item{kind: itemLeave, round: &x.round}) })
	}
}

func (f *finder) slugs() []string { return slices.Sorted(maps.Keys(f.rounds)) }

// outcomes asks for those that are due: soon after the end, then ever less often.
func (f *finder) outcomes(ctx context.Context) {
	r := f.r
	every := market.Instant(r.c.Resolve.Microseconds())
	for _, slug := range f.slugs() {
		x := f.rounds[slug]
		now := r.now.wallTime()
		if !x.left || now < x.ask || ctx.Err() != nil {
			continue
		}
		x.ask = now + max(every, min((now-x.end)/8, 20*every))
		found, err := r.gamma.event(ctx, x.event)
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, context.Canceled) {
				r.c.Log.Warn("outcome not told", "slug", slug, "error", brief(err))
			}
			continue
		}
		for _, l := range found {
			if l.slug != slug {
				continue
			}
			if l.closed != x.closed || l.decided {
				f.list(l)
			}
			x.closed = l.closed
			if l.decided {
				r.c.Log.Info("round decided", "slug", slug)
				delete(f.rounds, slug)
			}
		}
	}
}
