// Package tries counts what was tried on which rounds, by organization, and keeps the
// lockbox of rounds that nothing may replay yet. A try is counted before anything of it is
// replayed, so that one that crashes, fails or is cancelled counts; equal tries count once,
// however often they are made. The count goes back only by a reset that is named, with a
// reason, and stays on the record.
package tries

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/backtest/stats"
	"github.com/ladderback/ladderback/internal/sqlstore"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/strategy"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

// Schema is the tables of tries, which may stand in a database of others.
var Schema = sqlstore.Schema{Part: "tries", Migrations: sqlstore.Folder(migrations, "migrations")}

// Local is whose the tries of the command line are.
const Local = "local"

// Tx is a transaction, which takes queries written for PostgreSQL (sqlstore.Dialect).
type Tx interface {
	Exec(ctx context.Context, query string, args ...any) (changed int64, err error)
	// Row asks for one row; without one, Scan fails with sql.ErrNoRows.
	Row(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error }
}

// Try is one on the record.
type Try struct {
	Coin     string        `json:"coin"`
	Type     string        `json:"market_type"`
	Side     strategy.Side `json:"side"`
	Kind     string        `json:"kind"` // "backtest" or "sweep"
	Prompt   string        `json:"prompt"`
	Variants int           `json:"variants"`
	// Independent is how many independent tries it counts for: until a sweep is over, all
	// of its variants.
	Independent stats.Decimal `json:"independent_tries"`
	backtest.Tally
	FirstRound market.Instant `json:"first_round"` // start of the first
	LastRound  market.Instant `json:"last_round"`  // end of the last
	MadeAt     market.Instant `json:"made_at"`
	// DoneAt is when it ended; nil: it crashed, failed, was cancelled, or still runs.
	DoneAt *market.Instant `json:"done_at"`
}

// Identity is equal for equal tries.
func (t *One) Identity() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{t.Strategy, t.Data, t.Terms}, " ")))
	return hex.EncodeToString(sum[:])
}

// alike selects the tries on rounds of a coin and length ($2, $3), or of all.
const alike = `organization = $1 AND reset = 0 AND (coin = $2 OR coin = 'ANY' OR $2 = 'ANY') AND (market_type = $3 OR market_type = 'ANY' OR $3 = 'ANY')`

const countSQL = `
INSERT INTO tries (organization, coin, market_type, side, kind, identity, prompt, variants, weight, look, earlier, first_round, last_round, made_at)
SELECT CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), CAST($4 AS text), CAST($5 AS text), CAST($6 AS text), CAST($7 AS text), CAST($8 AS bigint), CAST($9 AS bigint),
	(SELECT count(*) + 1 FROM tries WHERE ` + alike + `), (SELECT CAST(coalesce(sum(weight), 0) AS bigint) FROM tries WHERE ` + alike + `),
	CAST($10 AS bigint), CAST($11 AS bigint), {now}
WHERE true
ON CONFLICT DO NOTHING`

// Count counts a try in a transaction that nobody else counts in, unless it was counted
// before, and says which look it is.
func Count(ctx context.Context, tx Tx, organization, prompt string, t *One) (n backtest.Tally, err error) {
	kind := "backtest"
	if t.Variants > 1 {
		kind = "sweep"
	}
	identity := t.Identity()
	if _, err := tx.Exec(ctx, countSQL, organization, t.Coin, t.Type, string(t.Side), kind, identity, prompt, t.Variants,
		int64(t.Variants)*int64(stats.One), int64(t.First), int64(t.Last)); err != nil {
		return n, fmt.Errorf("count a try: %w", err)
	}
	err = tx.Row(ctx, `SELECT look, earlier FROM tries WHERE organization = $1 AND identity = $2 AND reset = 0`, organization, identity).Scan(&n.Look, (*int64)(&n.Before))
	return n, err
}

// End notes that a try came to its end, and for how many independent ones it counts. A try
// ends once.
func End(ctx context.Context, tx Tx, organization, identity string, independent stats.Decimal) error {
	_, err := tx.Exec(ctx, `UPDATE tries SET weight = $1, done_at = {now} WHERE organization = $2 AND identity = $3 AND reset = 0 AND done_at = 0`,
		int64(independent), organization, identity)
	return err
}

// Share returns the time from which on the last part, in millionths, of the time lies that
// the decided up/down rounds of src span. Without any it fails with code not_found.
func Share(ctx context.Context, src interface {
	Rounds(ctx context.Context, f market.RoundFilter) ([]market.Round, error)
}, part int64) (market.Instant, error) {
	rounds, err := src.Rounds(ctx, market.RoundFilter{})
	if err != nil {
		return 0, fmt.Errorf("hold out: %w", err)
	}
	first, last := market.Latest, market.Earliest
	for i := range rounds {
		if m := rounds[i].Market; m.Payout != nil {
			first, last = min(first, m.Start), max(last, m.End)
		}
	}
	if last < first {
		return 0, market.Errorf(market.CodeNotFound, "hold out: the archive has no up/down rounds that are decided")
	}
	seconds := int64(last-first) / int64(market.Second)
	return last - market.Instant(seconds*part/1_000_000)*market.Second, nil
}
