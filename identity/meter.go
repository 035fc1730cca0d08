package identity

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
)

// Request is what one request did, for a Meter.
type Request struct {
	Refusal  market.Code // empty: it was not refused
	Bulk     int64       // points of a bulk answer
	Backtest bool        // it ran or queued a backtest
}

// DailyUsage is what a key did on a UTC day, counted from 1970.
type DailyUsage struct {
	Key                       string
	Day                       int64
	Requests, Bulk, Backtests int64
	Refusals                  map[string]int64 // by code
}

// Add adds what another did. Refusals may be nil in the other only.
func (d *DailyUsage) Add(other *DailyUsage) {
	d.Requests, d.Bulk, d.Backtests = d.Requests+other.Requests, d.Bulk+other.Bulk, d.Backtests+other.Backtests
	for code, n := range other.Refusals {
		d.Refusals[code] += n
	}
}

type keyDay struct {
	key string
	day int64
}

// Meter counts what keys do, by day. It counts in memory and adds to the tables every two
// seconds, so that several processes may share them and a crash forgets little. It is safe
// for concurrent use.
type Meter struct {
	db  *sqlstore.DB
	now func() time.Time

	mu        sync.Mutex
	pending   map[keyDay]*DailyUsage
	flushLock sync.Mutex // one flush at a time
}

// NewMeter makes a meter beside a store. now is the clock; nil is time.Now.
func NewMeter(store *Store, now func() time.Time) *Meter {
	if now == nil {
		now = time.Now
	}
	return &Meter{db: store.DB(), now: now, pending: map[keyDay]*DailyUsage{}}
}

// Count counts a request of a key.
func (m *Meter) Count(key string, r Request) {
	at := keyDay{key, WindowsAt(market.InstantOf(m.now())).Day}
	one := DailyUsage{Requests: 1, Bulk: r.Bulk}
	if r.Backtest {
		one.Backtests = 1
	}
	if r.Refusal != "" {
		one.Refusals = map[string]int64{string(r.Refusal): 1}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(at, &one)
}

func (m *Meter) add(at keyDay, one *DailyUsage) {
	sum := m.pending[at]
	if sum == nil {
		sum = &DailyUsage{Key: at.key, Day: at.day, Refusals: map[string]int64{}}
		m.pending[at] = sum
	}
	sum.Add(one)
}

// Work writes the counts until ctx ends, and once more then.
func (m *Meter) Work(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = m.Flush(ctx) // what could not be written is kept for the next time
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = m.Flush(last) // nobody is left to tell
			return
		}
	}
}

// Flush writes the counts.
func (m *Meter) Flush(ctx context.Context) (err error) {
	m.flushLock.Lock()
	defer m.flushLock.Unlock()
	m.mu.Lock()
	taken := m.pending
	m.pending = map[keyDay]*DailyUsage{}
	m.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	defer func() {
		if err == nil {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		for at, one := range taken {
			m.add(at, one)
		}
	}()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	// In one order, so that two processes never wait for each other.
	for _, one := range slices.SortedFunc(maps.Values(taken), func(a, b *DailyUsage) int { return strings.Compare(a.Key, b.Key) }) {
		if err := m.put(ctx, tx, one); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

func (m *Meter) put(ctx context.Context, tx *sql.Tx, d *DailyUsage) error {
	refusals := int64(0)
	for _, code := range slices.Sorted(maps.Keys(d.Refusals)) {
		refusals += d.Refusals[code]
		if _, err := tx.ExecContext(ctx, m.db.Dialect.Spell(`INSERT INTO access_refusals AS r (key_id, day, code, refusals) VALUES ($1, $2, $3, $4)
			ON CONFLICT (key_id, day, code) DO UPDATE SET refusals = r.refusals + excluded.refusals`), d.Key, d.Day, code, d.Refusals[code]); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, m.db.Dialect.Spell(`INSERT INTO access_usage_days AS u (key_id, day, requests, refusals, bulk, backtests) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (key_id, day) DO UPDATE SET requests = u.requests + excluded.requests, refusals = u.refusals + excluded.refusals,
			bulk = u.bulk + excluded.bulk, backtests = u.backtests + excluded.backtests`),
		d.Key, d.Day, d.Requests, refusals, d.Bulk, d.Backtests)
	return err
}

// Days returns what the keys did from a day on, in no order; days without a request are
// left out.
func (m *Meter) Days(ctx context.Context, keys []string, from int64) ([]DailyUsage, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	marks, list := make([]string, len(keys)), []any{from}
	for i, k := range keys {
		marks[i], list = "$"+strconv.Itoa(i+2), append(list, k)
	}
	in := ` WHERE day >= $1 AND key_id IN (` + strings.Join(marks, ",") + `)`
	days := map[keyDay]*DailyUsage{}
	err := m.each(ctx, `SELECT key_id, day, requests, bulk, backtests FROM access_usage_days`+in, list, func(rows *sql.Rows) error {
		d := DailyUsage{Refusals: map[string]int64{}}
		err := rows.Scan(&d.Key, &d.Day, &d.Requests, &d.Bulk, &d.Backtests)
		days[keyDay{d.Key, d.Day}] = &d
		return err
	})
	if err != nil {
		return nil, err
	}
	err = m.each(ctx, `SELECT key_id, day, code, refusals FROM access_refusals`+in, list, func(rows *sql.Rows) error {
		var at keyDay
		var code string
		var n int64
		if err := rows.Scan(&at.key, &at.day, &code, &n); err != nil {
			return err
		}
		if d := days[at]; d != nil {
			d.Refusals[code] = n
		}
		return nil
	})
	out := make([]DailyUsage, 0, len(days))
	for _, d := range days {
		out = append(out, *d)
	}
	return out, err
}

func (m *Meter) each(ctx context.Context, query string, args []any, f func(*sql.Rows) error) error {
	return sqlstore.Each(ctx, m.db, m.db.Dialect.Spell(query), args, f)
}
