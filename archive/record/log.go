package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ladderback/ladderback/market"
)

// log writes what comes through the queue into files, and keeps account of the
// gaps. It belongs to one goroutine.
type log struct {
	r       *Recorder
	files   *files
	tokens  map[string]*token
	known   bool              // a round is, or was
	rounds  map[string]*round // by market id
	line    bytes.Buffer
	last    market.Instant // of everything written
	state   state
	decided []string // rounds whose outcome is in the file that is cut next
	stopped []item   // connections that were whole when the recording ended
}

// token is a token that is recorded.
type token struct {
	id  string
	of  *round
	gap market.Instant // what comes after it cannot be trusted yet; zero: it can
	// early: it was subscribed before gap, and nothing has changed in its round since.
	// The gap is none if a whole book of the round comes before any change.
	early bool
}

func newLog(r *Recorder) *log {
	l := &log{r: r, files: newFiles(&r.c, r), tokens: map[string]*token{}, rounds: map[string]*round{}, state: r.start}
	l.last = r.start.Until
	return l
}

// run writes until the queue has ended. When ctx ends, a disk that is full is no
// longer waited for.
func (l *log) run(ctx context.Context) error {
	r := l.r
	flush := time.NewTicker(r.c.Flush)
	defer flush.Stop()
	cut := time.NewTicker(r.c.Rotate)
	defer cut.Stop()
	for {
		var err error
		select {
		case <-r.queue.ready:
			items, ended := r.queue.take()
			for i := range items {
				if err := l.take(ctx, &items[i]); err != nil {
					return err
				}
			}
			if ended {
				return l.end(ctx)
			}
			if l.files.large() {
				err = l.cut(ctx)
			}
		case <-flush.C:
			now := r.now.stamp()
			if err = l.flush(ctx); err == nil && r.queue.size() == 0 && l.known {
				r.filed.Store(int64(now))
			}
		case <-cut.C:
			err = l.cut(ctx)
		}
		if err != nil {
			return err
		}
	}
}

func (l *log) take(ctx context.Context, it *item) error {
	switch it.kind {
	case itemMessage:
		return l.message(ctx, it)
	case itemListing:
		return l.listing(it)
	case itemFollow:
		l.follow(it.round)
	case itemConfirmed:
		l.confirmed(it)
		l.save()
	case itemLost:
		l.lost(it)
		if err := l.flush(ctx); err != nil {
			return err
		}
		l.save()
	case itemLeave:
		l.leave(it.round)
	case itemStopped:
		l.stopped = append(l.stopped, *it)
	case itemStep:
		l.r.steps.Add(1)
		l.r.c.Log.Warn("the clock was set", "from", it.gap.From, "to", it.gap.To)
		for _, x := range l.tokens {
			l.gap(x, it.gap)
		}
	}
	return nil
}

// confirmed ends the gaps of tokens that the feed sends from now on.
func (l *log) confirmed(it *item) {
	for _, t := range it.tokens {
		if x := l.tokens[t]; x != nil && it.recv <= x.gap && x.gap == x.of.start {
			x.early = true
		} else if x != nil && x.gap > 0 {
			l.mark(it.recv, x, `"reset":true`)
		}
	}
}

// leave ends the recording of a round. What is missing of it is so up to when it would
// have been left.
func (l *log) leave(r *round) {
	until := min(l.r.now.stamp(), r.end+market.Instant(l.r.c.After.Microseconds()))
	for _, t := range r.tokens {
		if x := l.tokens[t]; x != nil {
			l.close(x, until)
			delete(l.tokens, t)
		}
	}
	delete(l.rounds, r.condition)
}

// end ends the files. What the connections had not yet handed over is missing if the
// round is gone on with, which the next run declares.
func (l *log) end(ctx context.Context) error {
	if err := l.cut(ctx); err != nil {
		return err
	}
	for i := range l.stopped {
		l.lost(&l.stopped[i])
	}
	l.save()
	return nil
}

// follow begins to record a round. What came before is missing from its start
// on, or from where an earlier run left off.
func (l *log) follow(r *round) {
	l.rounds[r.condition] = r
	l.known = true
	for _, t := range r.tokens {
		if l.tokens[t] != nil {
			continue
		}
		x := &token{id: t, of: r, gap: r.start}
		if was, ok := l.r.start.Tokens[t]; ok {
			x.gap = was
			if was == 0 {
				x.gap = l.r.start.Until
			}
		}
		l.tokens[t] = x
	}
}

// lost opens the gap of every token of a connection, unless it is open.
func (l *log) lost(it *item) {
	for _, t := range it.tokens {
		if x := l.tokens[t]; x != nil {
			x.early = false
			if x.gap == 0 || it.recv < x.gap {
				x.gap = it.recv
			}
		}
	}
}

// message writes a message of the exchange, each part of an array on its own.
func (l *log) message(ctx context.Context, it *item) error {
	r := l.r
	r.messages.Add(1)
	r.bytes.Add(int64(len(it.data)))
	r.last.Store(int64(it.recv))
	parts := []json.RawMessage{it.data}
	if data := bytes.TrimLeft(it.data, " \t\r\n"); len(data) > 0 && data[0] == '[' {
		if json.Unmarshal(data, &parts) != nil {
			return nil // the connection was given up for it
		}
	}
	for _, p := range parts {
		l.part(it, p)
	}
	if l.files.lines.Len() > maxTake {
		return l.flush(ctx)
	}
	return nil
}

// part writes a message about one token, or one round.
func (l *log) part(it *item, p json.RawMessage) {
	r := l.r
	var e envelope
	if json.Unmarshal(p, &e) != nil {
		return
	}
	x := l.about(&e)
	if x == nil {
		r.foreign.Add(1)
		return
	}
	if at, err := market.ParseUnixMillis(string(e.Timestamp)); err == nil && e.Timestamp != "" {
		r.lag.Store(int64(it.recv - at))
	}
	reason := r.c.Check(p)
	if reason != "" && r.rejected.add(reason) {
		r.c.Log.Warn("message that an import rejects; more of the kind are counted", "reason", reason, "slug", x.of.slug, "message", fmt.Sprintf("%.200s", p))
	}
	switch {
	case e.isBook() && reason == "":
		l.whole(x, it)
	case len(e.Changes) > 0 || e.Type == "price_change":
		l.late(x.of)
	}
	l.line.Reset()
	l.line.WriteString(`"msg":`)
	if json.Compact(&l.line, p) == nil {
		l.write(it.recv, x, l.line.String())
	}
}

// late notes that a round has changed. If no whole book of it has come in, the one that
// was changed is missing.
func (l *log) late(r *round) {
	for _, t := range r.tokens {
		if x := l.tokens[t]; x != nil {
			x.early = false
		}
	}
}

// whole ends the gap of a token whose whole book came in. Of a round that was
// subscribed before its start one of the two books, which are each other's mirror, is
// enough.
func (l *log) whole(x *token, it *item) {
	if it.booked != nil {
		it.booked.Store(true)
	}
	for _, t := range x.of.tokens {
		if y := l.tokens[t]; y != nil && (y == x || y.early) {
			l.close(y, it.recv)
			y.gap, y.early = 0, false
		}
	}
}

// flush puts what was written on disk.
func (l *log) flush(ctx context.Context) error {
	if err := l.files.flush(ctx); err != nil {
		return err
	}
	l.state.Until = max(l.state.Until, l.last)
	return nil
}

// envelope is what a message is assigned by.
type envelope struct {
	Type      string          `json:"event_type"`
	Market    string          `json:"market"`
	Asset     string          `json:"asset_id"`
	Timestamp json.Number     `json:"timestamp"`
	Bids      json.RawMessage `json:"bids"`
	Asks      json.RawMessage `json:"asks"`
	Changes   []struct {
		Asset string `json:"asset_id"`
	} `json:"price_changes"`
	Assets []string `json:"assets_ids"`
}

// isBook reports whether the message holds a whole book.
func (e *envelope) isBook() bool {
	return e.Type == "book" || e.Type == "" && (len(e.Bids) > 0 || len(e.Asks) > 0)
}

// about returns a token that the message is about; nil: none that is recorded.
func (l *log) about(e *envelope) *token {
	if x := l.tokens[e.Asset]; x != nil {
		return x
	}
	for _, c := range e.Changes {
		if x := l.tokens[c.Asset]; x != nil {
			return x
		}
	}
	for _, a := range e.Assets {
		if x := l.tokens[a]; x != nil {
			return x
		}
	}
	if m := l.rounds[e.Market]; m != nil && e.Asset == "" {
		return l.tokens[m.tokens[0]]
	}
	return nil
}

// close declares the gap of a token that is open, up to to.
func (l *log) close(x *token, to market.Instant) {
	if x.gap == 0 || x.early {
		return
	}
	l.gap(x, market.Gap{From: x.gap, To: to})
}

func (l *log) gap(x *token, g market.Gap) {
	if g.To <= g.From {
		return
	}
	l.r.gaps.Add(1)
	l.mark(g.To, x, `"gap":{"from":`+seconds(g.From)+`,"to":`+seconds(g.To)+`}`)
}

// mark writes a line of our own about a token; member is what it says.
func (l *log) mark(recv market.Instant, x *token, member string) {
	id, _ := json.Marshal(map[string]string{"market": x.of.condition, "asset_id": x.id}) // strings can be written
	l.write(recv, x, string(id[1:len(id)-1])+","+member)
}

// write writes a line; members are its last.
func (l *log) write(recv market.Instant, x *token, members string) {
	l.last = max(l.last, recv)
	slug, _ := json.Marshal(x.of.slug) // a string can be written
	out := l.files.lines
	out.WriteString(`{"recv":`)
	out.WriteString(seconds(recv))
	out.WriteString(`,"slug":`)
	out.Write(slug)
	out.WriteByte(',')
	out.WriteString(members)
	out.WriteString("}\n")
}

// seconds writes an instant as Unix seconds with microseconds.
func seconds(t market.Instant) string {
	return fmt.Sprintf("%d.%06d", t/market.Second, t%market.Second)
}

// listing keeps metadata for the next file.
func (l *log) listing(it *item) error {
	if l.state.Undecided == nil {
		l.state.Undecided = map[string]string{}
	}
	l.state.Undecided[it.round.slug] = it.round.event
	if it.reason == decidedWord {
		l.decided = append(l.decided, it.round.slug)
	}
	if err := json.Compact(&l.files.listings, it.data); err != nil {
		return err
	}
	return l.files.listings.WriteByte('\n')
}

// cut ends the files at hand and hands them over. Gaps that are open are declared
// up to now, so that nobody reads over them meanwhile.
func (l *log) cut(ctx context.Context) error {
	now := l.r.now.stamp()
	for _, x := range l.tokens {
		l.close(x, now)
		if x.gap > 0 && x.gap < now && !x.early {
			x.gap = now
		}
	}
	paths, err := l.files.cut(ctx, now)
	if err != nil {
		return err
	}
	for _, slug := range l.decided {
		delete(l.state.Undecided, slug)
	}
	l.decided = nil
	l.last = max(l.last, now)
	l.state.Until = l.last
	l.save()
	if !l.known {
		now = 0 // nobody can say that nothing was missed
	}
	l.r.keep.add(paths, now)
	l.r.filed.Store(int64(now))
	return nil
}

// save writes down what the next run has to know. When it cannot be written, what
// stands there is older, and the next run declares a gap that is longer.
func (l *log) save() {
	l.state.Tokens, l.state.Rounds = make(map[string]market.Instant, len(l.tokens)), map[string]*round{}
	for id, x := range l.tokens {
		l.state.Tokens[id] = x.gap
		if x.early {
			l.state.Tokens[id] = 0 // nothing was missed so far
		}
		l.state.Rounds[x.of.slug] = x.of
	}
	if err := l.r.writeState(l.state); err != nil {
		l.r.c.Log.Warn("state not written", "error", err)
	}
}
