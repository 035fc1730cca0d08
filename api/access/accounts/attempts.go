package accounts

import (
	"context"
	"time"

	"github.com/ladderback/ladderback/market"
)

// limit bounds how often something may be tried: most times, then a wait before each
// further try, firstWait at first and doubling up to lastWait. After a quiet time all is
// forgotten.
type limit struct {
	kind string
	most int
}

// Limits. They know addresses as they are written, whether or not they have an account.
var (
	wrongOfAddress = limit{"wrong address", 5}
	wrongOfNetwork = limit{"wrong network", 30}
	mailsToAddress = limit{"mail address", 5}
	mailsOfNetwork = limit{"mail network", 30}
	linksOfNetwork = limit{"link network", 60}
)

const (
	firstWait = 30 * time.Second
	doublings = 5 // 16 min
	lastWait  = 15 * time.Minute
	quiet     = 15 * time.Minute
)

const countAttempt = `
INSERT INTO access_attempts AS a (subject, failures, last_at, until) VALUES ($1, 1, $2, 0)
ON CONFLICT (subject) DO UPDATE SET
	failures = CASE WHEN LEAST($2 - a.last_at, $2 - a.until) >= $3 THEN 1 ELSE a.failures + 1 END,
	last_at = $2,
	until = CASE WHEN LEAST($2 - a.last_at, $2 - a.until) >= $3 OR a.failures + 1 < $4 THEN 0
		ELSE $2 + LEAST($6, CAST($5 AS bigint) << CAST(LEAST(a.failures + 1 - $4, $7) AS integer)) END
WHERE a.until <= $2
RETURNING failures`

// attempt counts a try of a subject. If it has to wait it is refused with
// CodeRateLimited, and not counted.
func (s *Service) attempt(ctx context.Context, l limit, subject string) error {
	if subject == "" {
		return nil
	}
	c, d, now := s.conn(), digestOf(l.kind, subject), s.now()
	var failures int64
	ok, err := c.row(ctx, countAttempt, args(d, int64(now), int64(span(quiet)), int64(l.most), int64(span(firstWait)), int64(span(lastWait)), int64(doublings)), &failures)
	if ok || err != nil {
		return err
	}
	var until int64
	if _, err := c.row(ctx, `SELECT until FROM access_attempts WHERE subject = $1`, args(d), &until); err != nil {
		return err
	}
	slow := market.Errorf(market.CodeRateLimited, "too many tries: wait before the next")
	slow.RetryAfter = max(1, int((market.Instant(until)-now+market.Second-1)/market.Second))
	return slow
}

// forgive takes back what attempt counted; whole forgets earlier tries too.
func (s *Service) forgive(ctx context.Context, l limit, subject string, whole bool) error {
	d := digestOf(l.kind, subject)
	if whole {
		return s.conn().do(ctx, `DELETE FROM access_attempts WHERE subject = $1`, d)
	}
	return s.conn().do(ctx, `UPDATE access_attempts SET until = CASE WHEN failures <= $2 THEN 0 ELSE until END, failures = failures - 1
		WHERE subject = $1 AND failures > 0`, d, int64(l.most))
}

// sweepAttempts forgets what is long over.
func (s *Service) sweepAttempts(ctx context.Context) error {
	before := int64(s.now() - span(24*time.Hour))
	return s.conn().do(ctx, `DELETE FROM access_attempts WHERE last_at < $1 AND until < $1`, before)
}
