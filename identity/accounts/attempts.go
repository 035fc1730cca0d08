package accounts

import (
	"cmp"
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
	// Of a browser that signed in to the account before, and within a session: what strangers
	// try at an address, or from a network, does not count there, nor the other way round.
	wrongOfDevice  = limit{"wrong device", 5}
	mailsOfDevice  = limit{"mail device", 5}
	wrongInSession = limit{"wrong session", 5}
)

// try is a limit and whom it bounds.
type try struct {
	limit
	subject string
	cleared bool // a success forgets earlier tries, rather than itself alone
}

// attempts counts a try of each subject, or of none: what one limit refuses counts
// against nobody.
func (s *Service) attempts(ctx context.Context, tries []try) error {
	for _, t := range tries {
		if err := s.waits(ctx, t.limit, t.subject); err != nil {
			return err
		}
	}
	for i, t := range tries {
		err := s.attempt(ctx, t.limit, t.subject)
		if err == nil {
			continue
		}
		for _, earlier := range tries[:i] { // somebody else's try came between
			if ferr := s.forgive(ctx, earlier.limit, earlier.subject, false); ferr != nil {
				return ferr
			}
		}
		return err
	}
	return nil
}

// succeeded takes back what attempts counted.
func (s *Service) succeeded(ctx context.Context, tries []try) error {
	for _, t := range tries {
		if err := s.forgive(ctx, t.limit, t.subject, t.cleared); err != nil {
			return err
		}
	}
	return nil
}

// waits refuses a subject that has to wait, with CodeRateLimited.
func (s *Service) waits(ctx context.Context, l limit, subject string) error {
	var until market.Instant
	_, err := s.conn().row(ctx, `SELECT until FROM access_attempts WHERE subject = $1`, args(digestOf(l.kind, subject)), &until)
	now := s.now()
	if err != nil || until <= now {
		return err
	}
	slow := market.Errorf(market.CodeRateLimited, "too many tries: wait before the next")
	slow.RetryAfter = max(1, int((until-now+market.Second-1)/market.Second))
	return slow
}

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
	return cmp.Or(s.waits(ctx, l, subject), errTooFast)
}

// errTooFast is for a try whose wait ended while it was refused.
var errTooFast error = &market.Error{Code: market.CodeRateLimited, Message: "too many tries: wait before the next", RetryAfter: 1}

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
