package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/mail"
	"github.com/ladderback/ladderback/market"
)

// Kinds of entries of the outbox: what is to be done behind an answer, and mails.
const (
	kindRegister  = "register"
	kindForgotten = "forgotten"
	kindForget    = "forget runs"

	mailVerify  = "mail verify"
	mailExists  = "mail exists"
	mailReset   = "mail reset"
	mailMove    = "mail email"
	mailChanged = "mail changed"
	mailInvite  = "mail invitation"
)

// MailLife is how long it is tried to deliver a mail.
const MailLife = 24 * time.Hour

const (
	lease     = 5 * time.Minute // in which an entry is worked on by nobody else
	mostRetry = time.Hour
	atATime   = 20 // entries of one round
	mailers   = 4  // mails on their way at a time
	keptDone  = 24 * time.Hour
)

// detail is what an entry says besides its address: never a secret of a link, which is
// made when the mail is.
type detail struct {
	Password     string `json:"password,omitempty"` // its hash
	Claim        claim  `json:"claim,omitzero"`     // what the link of a mail verifies
	Network      string `json:"network,omitempty"`
	What         string `json:"what,omitempty"`
	Invitation   string `json:"invitation,omitempty"`
	Organization string `json:"organization,omitempty"`
}

// entry is one thing to do.
type entry struct {
	ID, Kind, Address, Account string
	Detail                     detail
	MadeAt, DueAt              market.Instant
	Tries                      int64
}

// post puts an entry into the outbox.
func (s *Service) post(ctx context.Context, c conn, e *entry) error {
	text, err := json.Marshal(e.Detail)
	if err != nil {
		return err
	}
	now := s.now()
	return c.do(ctx, `INSERT INTO access_outbox (id, kind, address, account, detail, made_at, due_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		s.orderedID("m_", now), e.Kind, e.Address, e.Account, string(text), int64(now), int64(now))
}

// pause is how long the outbox waits before its next look, half as long to half as long
// again as configured. No request sets the moment: what an address leads to would show in
// how long the request after it takes.
func (s *Service) pause() time.Duration {
	return s.cfg.MailPause/2 + mathrand.N(s.cfg.MailPause)
}

// Work does what is in the outbox, and forgets what is over, until ctx ends.
func (s *Service) Work(ctx context.Context) {
	tick := time.NewTimer(s.pause())
	defer tick.Stop()
	sweep := time.NewTicker(time.Minute)
	defer sweep.Stop()
	var mails errgroup.Group
	mails.SetLimit(mailers)
	defer func() { _ = mails.Wait() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			tick.Reset(s.pause())
			if err := s.round(ctx, &mails); err != nil && ctx.Err() == nil {
				s.cfg.Log.Warn("outbox", slog.String("cause", err.Error()))
			}
		case <-sweep.C:
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.cfg.Log.Warn("accounts: sweep", slog.String("cause", err.Error()))
			}
		}
	}
}

// Settle does all that is due in the outbox, and returns when it is done or has failed.
func (s *Service) Settle(ctx context.Context) error {
	for {
		var mails errgroup.Group
		mails.SetLimit(mailers)
		n, err := s.some(ctx, &mails)
		if err = errors.Join(err, mails.Wait()); err != nil || n == 0 {
			return err
		}
	}
}

// round does what is due.
func (s *Service) round(ctx context.Context, mails *errgroup.Group) error {
	for {
		if n, err := s.some(ctx, mails); err != nil || n == 0 {
			return err
		}
	}
}

// some claims entries that are due, one by one, and does each: mails in the background,
// so that a slow mail server holds nothing else up. It returns how many there were.
func (s *Service) some(ctx context.Context, mails *errgroup.Group) (n int, err error) {
	now := s.now()
	due, err := collect(ctx, s.conn(), `SELECT id, kind, address, account, detail, made_at, due_at, tries FROM access_outbox
		WHERE done_at = 0 AND due_at <= $1 ORDER BY CASE WHEN kind LIKE 'mail %' THEN 1 ELSE 0 END, due_at, id LIMIT $2`, args(int64(now), int64(atATime)),
		func(scan func(...any) error) (e entry, err error) {
			var text string
			if err := scan(&e.ID, &e.Kind, &e.Address, &e.Account, &text, &e.MadeAt, &e.DueAt, &e.Tries); err != nil {
				return e, err
			}
			return e, json.Unmarshal([]byte(text), &e.Detail)
		})
	if err != nil {
		return 0, err
	}
	for i := range due {
		e := due[i]
		if do := s.doer(e.Kind); do != nil {
			if err := s.handle(ctx, &e, do); err != nil {
				return n, err
			}
			n++
			continue
		}
		if !mails.TryGo(func() error { return s.handle(ctx, &e, s.mail) }) {
			continue // all hands are full: with the next round
		}
		n++
	}
	return n, nil
}

// doer returns what does the work of an entry that is no mail; nil: it is one.
func (s *Service) doer(kind string) func(context.Context, *entry) error {
	inTx := func(f func(context.Context, conn, *entry) error) func(context.Context, *entry) error {
		return func(ctx context.Context, e *entry) error {
			return s.tx(ctx, func(c conn) error { return f(ctx, c, e) })
		}
	}
	switch kind {
	case kindRegister:
		return inTx(s.register)
	case kindForgotten:
		return inTx(s.forgotten)
	case kindForget:
		return func(ctx context.Context, e *entry) error {
			if s.cfg.Runs == nil {
				return nil
			}
			return s.cfg.Runs.ForgetAll(ctx, e.Detail.Organization)
		}
	}
	return nil
}

// handle works on an entry, which no other process works on meanwhile.
func (s *Service) handle(ctx context.Context, e *entry, do func(context.Context, *entry) error) error {
	c, now := s.conn(), s.now()
	n, err := c.exec(ctx, `UPDATE access_outbox SET due_at = $3, tries = tries + 1 WHERE id = $1 AND due_at = $2 AND done_at = 0`, e.ID, int64(e.DueAt), int64(now+span(lease)))
	if err != nil || n == 0 {
		return err
	}
	e.Tries++
	err = do(ctx, e)
	after := context.WithoutCancel(ctx) // what was done is noted also when the server stops
	if err == nil {
		return c.do(after, `UPDATE access_outbox SET done_at = $2, detail = '{}' WHERE id = $1`, e.ID, int64(s.now()))
	}
	s.cfg.Log.Warn("outbox: failed", slog.String("kind", e.Kind), slog.String("id", e.ID), slog.Int64("try", e.Tries), slog.String("cause", err.Error()))
	var permanent *mail.Permanent
	if errors.As(err, &permanent) || e.Kind != kindForget && s.now()-e.MadeAt > span(MailLife) {
		return c.do(after, `UPDATE access_outbox SET done_at = $2, failed = $3, detail = '{}' WHERE id = $1`, e.ID, int64(s.now()), "given up")
	}
	pause := min(s.cfg.MailRetry<<min(e.Tries-1, 10), mostRetry)
	return c.do(after, `UPDATE access_outbox SET due_at = $2 WHERE id = $1`, e.ID, int64(s.now()+span(pause)))
}

// mail writes and sends a mail. The secret of its link is made here, so that it is
// nowhere but in the mail.
func (s *Service) mail(ctx context.Context, e *entry) error {
	text, err := s.write(ctx, e)
	if err != nil || text == nil { // nil: what it was about is no more
		return err
	}
	plain, html, err := mail.Write(text)
	if err != nil {
		return err
	}
	// A mail on its way is seen to its end also when the server stops: it would not be known
	// whether it arrived.
	return s.cfg.Mail.Send(context.WithoutCancel(ctx), &mail.Message{ID: e.ID, To: e.Address, Subject: text.Subject, Plain: plain, HTML: html, At: s.cfg.Now()})
}

// secretFor makes the secret of the link in a mail; empty: the account changed while the
// mail waited, so that it is not meant any more.
func (s *Service) secretFor(ctx context.Context, e *entry, purpose string, life time.Duration) (secret string, err error) {
	set, err := json.Marshal(e.Detail.Claim)
	if err != nil {
		return "", err
	}
	err = s.tx(ctx, func(c conn) error {
		if err := s.hold(ctx, c, e.Account); err != nil {
			return err
		}
		var one int
		if ok, err := c.row(ctx, `SELECT 1 FROM access_outbox WHERE id = $1`, args(e.ID), &one); err != nil || !ok {
			return err
		}
		secret, err = s.issue(ctx, c, e.Account, purpose, e.Address, string(set), life)
		return err
	})
	return secret, err
}

// write returns what a mail says; nil: there is no reason for it any more.
func (s *Service) write(ctx context.Context, e *entry) (*mail.Text, error) {
	if ok, err := s.stillMeant(ctx, e); err != nil || !ok {
		return nil, err
	}
	asked := "If it was not you, do nothing."
	if e.Detail.Network != "" {
		asked = "This was asked for from the network " + e.Detail.Network + ". " + asked
	}
	var secret string
	var err error
	switch e.Kind {
	case mailVerify, mailMove:
		purpose := toVerify
		if e.Kind == mailMove {
			purpose = toMove
		}
		if secret, err = s.secretFor(ctx, e, purpose, verifyLife); err != nil || secret == "" {
			return nil, err
		}
		return &mail.Text{Subject: "Verify your address", Lines: []string{"Somebody gave this address for an account at " + s.cfg.BaseURL + ".", "If it was you, verify it within 24 hours, where you are signed in or with the password that you chose."},
			Button: "Verify the address", Link: s.cfg.BaseURL + "/verify#" + secret, Code: secret, After: []string{asked}}, nil
	case mailReset:
		if secret, err = s.secretFor(ctx, e, toReset, resetLife); err != nil || secret == "" {
			return nil, err
		}
		return &mail.Text{Subject: "Choose another password", Lines: []string{"Somebody forgot the password of your account at " + s.cfg.BaseURL + ".", "If it was you, choose another within an hour. All your sessions end then."},
			Button: "Choose a password", Link: s.cfg.BaseURL + "/reset#" + secret, Code: secret, After: []string{asked}}, nil
	case mailExists:
		return &mail.Text{Subject: "You already have an account", Lines: []string{"Somebody wanted to register with this address at " + s.cfg.BaseURL + ". You already have an account there: sign in.",
			"If you do not remember the password, choose another at " + s.cfg.BaseURL + "/forgotten"}, After: []string{asked}}, nil
	case mailChanged:
		return &mail.Text{Subject: "Your account was changed", Lines: []string{e.Detail.What},
			After: []string{"This was done from the network " + e.Detail.Network + ". If it was not you, choose another password at " + s.cfg.BaseURL + "/forgotten and end all sessions."}}, nil
	case mailInvite:
		return s.writeInvitation(ctx, e)
	}
	return nil, &mail.Permanent{Cause: errors.New("no such mail: " + e.Kind)}
}

// stillMeant reports whether the account that a mail is about exists. It addresses the
// mail to the address stored with the account, whatever somebody typed, unless the mail
// goes to where the account moves to, or tells the address that it had of a change.
func (s *Service) stillMeant(ctx context.Context, e *entry) (bool, error) {
	if e.Account == "" {
		return true, nil
	}
	var stored string
	ok, err := s.conn().row(ctx, `SELECT address FROM access_accounts WHERE id = $1`, args(e.Account), &stored)
	if e.Kind != mailMove && e.Kind != mailChanged {
		e.Address = stored
	}
	return ok, err
}

func (s *Service) writeInvitation(ctx context.Context, e *entry) (*mail.Text, error) {
	var name, role, by string
	c := s.conn()
	ok, err := c.row(ctx, `SELECT o.name, i.role, a.address FROM access_invitations i JOIN access_organizations o ON o.id = i.organization
		JOIN access_accounts a ON a.id = i.made_by WHERE i.id = $1 AND i.ends_at > $2`, args(e.Detail.Invitation, int64(s.now())), &name, &role, &by)
	if err != nil || !ok {
		return nil, err
	}
	secret := identity.NewSecret()
	n, err := c.exec(ctx, `UPDATE access_invitations SET digest = $2 WHERE id = $1`, e.Detail.Invitation, digestOf(inviteKind, secret))
	if err != nil || n == 0 {
		return nil, err
	}
	return &mail.Text{Subject: "You are invited to an organization", Lines: []string{by + " invites you to the organization “" + name + "” at " + s.cfg.BaseURL + ", as " + role + ".",
		"The invitation is good for seven days. You need an account with this address."},
		Button: "Accept the invitation", Link: s.cfg.BaseURL + "/invitation#" + secret, Code: secret, After: []string{"If you do not know who this is from, do nothing."}}, nil
}

// Sweep forgets what is over.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(s.sweepSessions(ctx), s.sweepAttempts(ctx), s.sweepAudit(ctx), s.sweepGrants(ctx),
		s.conn().do(ctx, `DELETE FROM access_outbox WHERE done_at > 0 AND done_at < $1`, int64(s.now()-span(keptDone))),
		s.conn().do(ctx, `DELETE FROM access_invitations WHERE ends_at <= $1`, int64(s.now())))
}
