package accounts

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/market"
)

// How long sessions live.
const (
	SessionIdle = identity.SessionIdle // without a request
	SessionLife = identity.SessionLife // at most
	touchEvery  = time.Minute
)

// tokenPrefix begins the token of a session, so that it is told from that of a key's.
const tokenPrefix = "a."

// isSession reports whether a cookie's token is that of an account's session, which may
// be over.
func isSession(token string) bool { return strings.HasPrefix(token, tokenPrefix) }

const sessionKind = "session"

// begin makes a session of an account in an organization; empty: the first that it
// became a member of.
func (s *Service) begin(ctx context.Context, c conn, account, organization string, from From) (SignedIn, error) {
	if organization == "" {
		if _, err := c.row(ctx, `SELECT organization FROM access_members WHERE account = $1 ORDER BY since, organization LIMIT 1`, args(account), &organization); err != nil {
			return SignedIn{}, err
		}
	}
	token, now := tokenPrefix+identity.NewSecret(), s.now()
	d := digestOf(sessionKind, token)
	err := c.do(ctx, `INSERT INTO access_sessions (digest, id, account, organization, made_at, seen_at, ends_at, agent, network)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		d, newID("s_"), account, organization, int64(now), int64(now), int64(now+span(SessionLife)), from.agent(), network(from.Address))
	if err != nil {
		return SignedIn{}, err
	}
	one, err := s.find(ctx, c, `s.digest = $1`, d)
	return signedIn(&one, token), err
}

// signedIn is a session with its token, and the value of a cookie by which the browser is
// known at the account's next sign-in.
func signedIn(one *Session, token string) SignedIn {
	in := SignedIn{Session: *one, Token: token}
	if one.Account.hash != "" {
		nonce := identity.NewSecret()
		in.Device = nonce + "." + deviceMark(one.Account.ID, one.Account.hash, nonce)
	}
	return in
}

// deviceMark signs the nonce of a device with the hash of the account's password: another
// password makes strangers of all devices.
func deviceMark(account, hash, nonce string) string {
	mac := hmac.New(sha256.New, []byte(hash))
	mac.Write([]byte("device " + account + " " + nonce))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// deviceOf returns the nonce of a device that signed in to an account before; empty: it
// did not.
func deviceOf(account, hash, cookie string) string {
	nonce, mark, _ := strings.Cut(cookie, ".")
	if hash == "" || !hmac.Equal([]byte(mark), []byte(deviceMark(account, hash, nonce))) {
		return ""
	}
	return nonce
}

const findSession = `SELECT s.id, s.made_at, s.seen_at, s.ends_at, s.agent, s.network,
	a.id, a.address, a.verified_at, a.password, a.created_at, o.id, o.name, o.plan, m.role
FROM access_sessions s
JOIN access_accounts a ON a.id = s.account AND a.disabled_at = 0
JOIN access_members m ON m.account = a.id AND m.organization = s.organization
JOIN access_organizations o ON o.id = m.organization WHERE `

// find returns the session that a condition with one parameter selects, or
// identity.ErrNoSession.
func (s *Service) find(ctx context.Context, c conn, where string, arg any) (Session, error) {
	var one Session
	var verified int64
	var password sql.NullString
	ok, err := c.row(ctx, findSession+where, args(arg), &one.ID, &one.MadeAt, &one.SeenAt, &one.EndsAt, &one.Agent, &one.Network,
		&one.Account.ID, &one.Account.Address, &verified, &password, &one.Account.CreatedAt,
		&one.Organization.ID, &one.Organization.Name, &one.Organization.Plan, &one.Organization.Role)
	now := s.now()
	switch {
	case err != nil:
		return Session{}, err
	case !ok, one.SeenAt+span(SessionIdle) <= now, one.EndsAt <= now:
		return Session{}, identity.ErrNoSession
	}
	one.Account.Verified, one.Account.HasPassword, one.Account.hash = verified != 0, password.Valid, password.String
	return one, nil
}

// InSession returns whose session a cookie's token is. It returns identity.ErrNoSession
// for one that is over; any other error means that the store did not answer.
func (s *Service) InSession(ctx context.Context, token string) (*Session, error) {
	if !isSession(token) {
		return nil, identity.ErrNoSession
	}
	c, d := s.conn(), digestOf(sessionKind, token)
	one, err := s.find(ctx, c, `s.digest = $1`, d)
	if err != nil {
		return nil, err
	}
	if now := s.now(); now-one.SeenAt >= span(touchEvery) {
		err = c.do(ctx, `UPDATE access_sessions SET seen_at = $2 WHERE digest = $1`, d, int64(now))
	}
	return &one, err
}

// rotate gives a session another token: the one that it had is worth nothing from then
// on.
func (s *Service) rotate(ctx context.Context, c conn, session string) (SignedIn, error) {
	token := tokenPrefix + identity.NewSecret()
	if err := c.do(ctx, `UPDATE access_sessions SET digest = $2 WHERE id = $1`, session, digestOf(sessionKind, token)); err != nil {
		return SignedIn{}, err
	}
	one, err := s.find(ctx, c, `s.id = $1`, session)
	return signedIn(&one, token), err
}

// SignIn makes a session. ErrWrong: there is no such account, or that is not its password.
func (s *Service) SignIn(ctx context.Context, address, password string, from From) (SignedIn, error) {
	account, hash, err := s.proven(ctx, address, password, from)
	if err != nil {
		return SignedIn{}, err
	}
	return s.enter(ctx, account, `SELECT 1 FROM access_accounts WHERE id = $1 AND password = $2`, hash, from)
}

// enter makes a session of an account that has proven itself. still asks whether the proof
// holds yet, since the account may have changed while it was checked: of the account and
// of what has to be there.
func (s *Service) enter(ctx context.Context, account, still, proof string, from From) (in SignedIn, err error) {
	err = s.tx(ctx, func(c conn) error {
		if err := s.hold(ctx, c, account); err != nil {
			return err
		}
		var one int
		if ok, err := c.row(ctx, still, args(account, proof), &one); err != nil || !ok {
			return cmp.Or(err, ErrWrong)
		}
		if in, err = s.begin(ctx, c, account, "", from); err != nil {
			return err
		}
		return s.audit(ctx, c, &in.Session, "signed in", "", from)
	})
	return in, err
}

// hold has everything else that changes who is let into an account wait until the
// transaction ends. What was read of the account before is to be read again.
func (s *Service) hold(ctx context.Context, c conn, account string) error {
	return c.do(ctx, `UPDATE access_accounts SET folded = folded WHERE id = $1`, account)
}

// stillIn holds the account of a session. identity.ErrNoSession: the session has ended
// since its request began, as those of an account do when its password is reset.
func (s *Service) stillIn(ctx context.Context, c conn, in *Session) error {
	if err := s.hold(ctx, c, in.Account.ID); err != nil {
		return err
	}
	var one int
	if ok, err := c.row(ctx, `SELECT 1 FROM access_sessions WHERE id = $1 AND account = $2`, args(in.ID, in.Account.ID), &one); err != nil || !ok {
		return cmp.Or(err, identity.ErrNoSession)
	}
	return nil
}

// proven returns the id of the account of an address whose password it is, and its hash.
// It takes the same time for every address. A browser that signed in to the account before
// is bounded by itself, whatever strangers tried.
func (s *Service) proven(ctx context.Context, address, password string, from From) (account, hash string, err error) {
	folded := credentials.AddressKey(address)
	return s.prove(ctx, `folded = $1`, folded, password, func(account, hash string) []try {
		if nonce := deviceOf(account, hash, from.Device); nonce != "" {
			return []try{{wrongOfDevice, nonce, true}}
		}
		return s.strangers(folded, from)
	})
}

// strangers is what a try at an address counts against.
func (s *Service) strangers(folded string, from From) []try {
	return []try{{wrongOfNetwork, network(from.Address), false}, {wrongOfAddress, folded, true}}
}

// prove returns the id of the account that a condition with one parameter selects, and the
// hash of its password, if that is it; tries says what a try counts against.
func (s *Service) prove(ctx context.Context, where, arg, password string, tries func(account, hash string) []try) (account, hash string, err error) {
	done, err := s.hasher.Turn(ctx)
	if err != nil {
		return "", "", err
	}
	defer done()
	var stored sql.NullString
	var disabled int64
	if _, err := s.conn().row(ctx, `SELECT id, password, disabled_at FROM access_accounts WHERE `+where, args(arg), &account, &stored, &disabled); err != nil {
		return "", "", err
	}
	if disabled == 0 {
		hash = stored.String
	}
	return account, hash, s.check(ctx, password, hash, tries(account, hash))
}

// check compares a password with a hash, and counts the try unless it is right. ErrWrong:
// it is another. The caller has the turn.
func (s *Service) check(ctx context.Context, password, hash string, counted []try) error {
	if err := s.attempts(ctx, counted); err != nil {
		return err
	}
	ok, err := s.hasher.Matches(password, hash)
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrWrong
	}
	return s.succeeded(ctx, counted)
}

// again asks a person who is signed in for the password, or, where there is none, for a
// sign-in of the last ten minutes.
func (s *Service) again(ctx context.Context, in *Session, password string) error {
	if !in.Account.HasPassword {
		if s.now()-in.MadeAt > span(10*time.Minute) {
			return market.Errorf(market.CodeUnauthorized, "sign out and in again first")
		}
		return nil
	}
	_, _, err := s.prove(ctx, `id = $1`, in.Account.ID, password, func(string, string) []try { return []try{{wrongInSession, in.ID, true}} })
	if errors.Is(err, ErrWrong) {
		return market.Errorf(market.CodeUnauthorized, "the password is wrong")
	}
	return err
}

// SignOut ends the session of a token; one that is over already is no error.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return s.conn().do(ctx, `DELETE FROM access_sessions WHERE digest = $1`, digestOf(sessionKind, token))
}

// Sessions lists the sessions of an account that are not over, the latest use first.
func (s *Service) Sessions(ctx context.Context, in *Session) ([]Session, error) {
	now := s.now()
	return collect(ctx, s.conn(), `SELECT id, made_at, seen_at, ends_at, agent, network FROM access_sessions
		WHERE account = $1 AND ends_at > $2 AND seen_at > $3 ORDER BY seen_at DESC, id`,
		args(in.Account.ID, int64(now), int64(now-span(SessionIdle))), func(scan func(...any) error) (Session, error) {
			one := Session{Account: in.Account}
			return one, scan(&one.ID, &one.MadeAt, &one.SeenAt, &one.EndsAt, &one.Agent, &one.Network)
		})
}

// EndSession ends a session of the account. CodeNotFound: it has no such session.
func (s *Service) EndSession(ctx context.Context, in *Session, id string, from From) error {
	return s.tx(ctx, func(c conn) error {
		if err := s.stillIn(ctx, c, in); err != nil {
			return err
		}
		n, err := c.exec(ctx, `DELETE FROM access_sessions WHERE id = $1 AND account = $2`, id, in.Account.ID)
		if err != nil {
			return err
		}
		if n == 0 {
			return market.Errorf(market.CodeNotFound, "session not found: %s", id)
		}
		return s.audit(ctx, c, in, "session ended", id, from)
	})
}

// EndOtherSessions ends all sessions of the account but this one.
func (s *Service) EndOtherSessions(ctx context.Context, in *Session, from From) error {
	return s.tx(ctx, func(c conn) error {
		if err := s.stillIn(ctx, c, in); err != nil {
			return err
		}
		if err := s.endSessions(ctx, c, in.Account.ID, in.ID); err != nil {
			return err
		}
		return s.audit(ctx, c, in, "other sessions ended", "", from)
	})
}

// endSessions ends all sessions of an account but one; none is spared if that is empty.
func (s *Service) endSessions(ctx context.Context, c conn, account, spared string) error {
	return c.do(ctx, `DELETE FROM access_sessions WHERE account = $1 AND id <> $2`, account, spared)
}

// WorkIn has the session work in another organization of its account, and gives it
// another token. CodeNotFound: the account is no member of it.
func (s *Service) WorkIn(ctx context.Context, in *Session, organization string) (out SignedIn, err error) {
	err = s.tx(ctx, func(c conn) error {
		if err := s.stillIn(ctx, c, in); err != nil {
			return err
		}
		n, err := c.exec(ctx, `UPDATE access_sessions SET organization = $2 WHERE id = $1
			AND EXISTS (SELECT 1 FROM access_members WHERE account = $3 AND organization = $2)`, in.ID, organization, in.Account.ID)
		if err != nil {
			return err
		}
		if n == 0 {
			return market.Errorf(market.CodeNotFound, "organization not found: %s", organization)
		}
		out, err = s.rotate(ctx, c, in.ID)
		return err
	})
	return out, err
}

// sweepSessions forgets sessions that are over, and links too old to be asked about.
func (s *Service) sweepSessions(ctx context.Context) error {
	now := s.now()
	c := s.conn()
	if err := c.do(ctx, `DELETE FROM access_sessions WHERE ends_at <= $1 OR seen_at <= $2`, int64(now), int64(now-span(SessionIdle))); err != nil {
		return err
	}
	return c.do(ctx, `DELETE FROM access_tokens WHERE ends_at <= $1`, int64(now))
}
