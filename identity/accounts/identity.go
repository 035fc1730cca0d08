package accounts

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/market"
)

// identityOf is what a ticket of a JoinError stands for.
type identityOf struct{ Issuer, Subject string }

// SignInWithIdentity signs in whom an identity provider vouches for. An identity is
// issuer and subject, never the address; verified says that the provider itself
// verified the address.
//
// An unknown identity becomes an account, unless its address belongs to one: a verified
// account is joined after its password alone (JoinError); one that nobody verified is
// taken over whole, and what others put there (a password, identities, sessions) goes.
func (s *Service) SignInWithIdentity(ctx context.Context, issuer, subject, address string, verified bool, from From) (in SignedIn, err error) {
	if issuer == "" || subject == "" {
		return in, market.Errorf(market.CodeUnauthorized, "the identity provider names nobody")
	}
	var account string
	var disabled int64
	known, err := s.conn().row(ctx, `SELECT a.id, a.disabled_at FROM access_identities i JOIN access_accounts a ON a.id = i.account
		WHERE i.issuer = $1 AND i.subject = $2`, args(issuer, subject), &account, &disabled)
	switch {
	case err != nil:
		return in, err
	case known && disabled != 0:
		return in, ErrWrong
	case known:
		return s.enter(ctx, account, `SELECT 1 FROM access_identities WHERE account = $1 AND subject = $2`, subject, from)
	case s.cfg.Closed:
		return in, market.Errorf(market.CodeForbidden, "this server takes no registrations")
	}
	address, _, err = credentials.ParseAddress(address)
	if err != nil {
		return in, market.Errorf(market.CodeForbidden, "the identity provider gives no address to register with")
	}
	var join *JoinError
	err = s.tx(ctx, func(c conn) error {
		join = nil
		account, has, err := s.byAddress(ctx, c, address)
		switch {
		case err != nil:
			return err
		case has:
			text, err := json.Marshal(identityOf{issuer, subject})
			if err != nil {
				return err
			}
			ticket, err := s.issue(ctx, c, account, toJoin, address, string(text), joinLife)
			join = &JoinError{ticket}
			return err
		}
		in, err = s.claim(ctx, c, account, &Identity{Issuer: issuer, Subject: subject}, address, verified, from)
		return err
	})
	if err == nil && join != nil {
		return in, join
	}
	return in, err
}

// claim gives an account that nobody verified, or a new one, to an identity.
func (s *Service) claim(ctx context.Context, c conn, account string, one *Identity, address string, verified bool, from From) (in SignedIn, err error) {
	if account == "" {
		account, err = s.create(ctx, c, address)
	} else {
		err = s.wipe(ctx, c, account)
	}
	if err != nil {
		return in, err
	}
	var stored string // a provider vouches for the spelling that it gives, and for no other
	if _, err := c.row(ctx, `SELECT address FROM access_accounts WHERE id = $1`, args(account), &stored); err != nil {
		return in, err
	}
	if verified && stored == address {
		err = errors.Join(c.do(ctx, `UPDATE access_accounts SET verified_at = $2 WHERE id = $1`, account, int64(s.now())),
			c.do(ctx, `DELETE FROM access_tokens WHERE account = $1 AND purpose = $2`, account, toVerify))
	} else {
		err = s.post(ctx, c, &entry{Kind: mailVerify, Account: account, Detail: detail{Network: network(from.Address), Claim: claim{Issuer: one.Issuer, Subject: one.Subject}}})
	}
	if err == nil {
		err = s.attach(ctx, c, account, one)
	}
	if err != nil {
		return in, err
	}
	if in, err = s.begin(ctx, c, account, "", from); err != nil {
		return in, err
	}
	return in, s.audit(ctx, c, &in.Session, "signed up", one.Issuer, from)
}

func (s *Service) attach(ctx context.Context, c conn, account string, one *Identity) error {
	return c.do(ctx, `INSERT INTO access_identities (issuer, subject, account, created_at) VALUES ($1, $2, $3, $4)`,
		one.Issuer, one.Subject, account, int64(s.now()))
}

// Join joins the identity behind a ticket to the account that has its address, whose
// password it takes, and signs in. ErrWrong: not its password; the ticket stays good.
// ErrLink: the ticket cannot be used.
func (s *Service) Join(ctx context.Context, ticket, password string, from From) (in SignedIn, err error) {
	meant, err := s.look(ctx, toJoin, ticket)
	if err != nil {
		return in, err
	}
	account, _, err := s.proven(ctx, meant.address, password, from)
	if err != nil {
		return in, err
	}
	err = s.tx(ctx, func(c conn) error {
		if err := s.hold(ctx, c, account); err != nil { // another password ends the ticket
			return err
		}
		one, err := s.use(ctx, c, toJoin, ticket)
		if err != nil {
			return err
		}
		var who identityOf
		if err := json.Unmarshal([]byte(one.detail), &who); err != nil {
			return err
		}
		if one.account != account {
			return ErrLink
		}
		if err := s.attach(ctx, c, account, &Identity{Issuer: who.Issuer, Subject: who.Subject}); err != nil {
			return err
		}
		if in, err = s.begin(ctx, c, account, "", from); err != nil {
			return err
		}
		if err := s.post(ctx, c, &entry{Kind: mailChanged, Address: in.Account.Address, Account: account,
			Detail: detail{What: "Your account can now be signed in to through " + who.Issuer + ".", Network: network(from.Address)}}); err != nil {
			return err
		}
		return s.audit(ctx, c, &in.Session, "identity joined", who.Issuer, from)
	})
	return in, err
}

// Identities lists the identities of an account, oldest first.
func (s *Service) Identities(ctx context.Context, in *Session) ([]Identity, error) {
	return collect(ctx, s.conn(), `SELECT issuer, subject, created_at FROM access_identities WHERE account = $1 ORDER BY created_at, issuer`,
		args(in.Account.ID), func(scan func(...any) error) (one Identity, err error) {
			return one, scan(&one.Issuer, &one.Subject, &one.CreatedAt)
		})
}
