package accounts

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/ladderback/ladderback/market"
)

// Purposes of the secrets in links. The digest of each has its purpose in it.
const (
	toVerify = "verify" // the address of an account
	toMove   = "email"  // to another address
	toReset  = "reset"  // a password
	toJoin   = "join"   // an identity to an account; not mailed
)

// How long links live.
const (
	verifyLife = 24 * time.Hour
	resetLife  = time.Hour
	joinLife   = 10 * time.Minute
	inviteLife = 7 * 24 * time.Hour
)

// issue makes a secret for a purpose. Those made earlier for the account and the purpose
// are worth nothing from then on.
func (s *Service) issue(ctx context.Context, c conn, account, purpose, address, detail string, life time.Duration) (string, error) {
	secret := newSecret()
	if err := c.do(ctx, `DELETE FROM access_tokens WHERE account = $1 AND purpose = $2`, account, purpose); err != nil {
		return "", err
	}
	return secret, c.do(ctx, `INSERT INTO access_tokens (digest, account, purpose, address, detail, ends_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		digestOf(purpose, secret), account, purpose, address, detail, int64(s.now()+span(life)))
}

// issued is what a secret stands for.
type issued struct{ account, address, detail string }

// use uses a secret up. ErrLink: it cannot be used.
func (s *Service) use(ctx context.Context, c conn, purpose, secret string) (issued, error) {
	var one issued
	now := int64(s.now())
	ok, err := c.row(ctx, `UPDATE access_tokens SET used_at = $2 WHERE digest = $1 AND purpose = $3 AND used_at = 0 AND ends_at > $2
		RETURNING account, address, detail`, args(digestOf(purpose, secret), now, purpose), &one.account, &one.address, &one.detail)
	if err == nil && !ok {
		err = ErrLink
	}
	return one, err
}

// mayMail counts a request that leads to a mail to an address.
func (s *Service) mayMail(ctx context.Context, folded string, from From) error {
	tries := []try{{mailsOfNetwork, network(from.Address), false}, {mailsToAddress, folded, false}}
	if from.Device != "" {
		var account string
		var hash sql.NullString
		if _, err := s.conn().row(ctx, `SELECT id, password FROM access_accounts WHERE folded = $1`, args(folded), &account, &hash); err != nil {
			return err
		}
		if nonce := deviceOf(account, hash.String, from.Device); nonce != "" {
			tries = []try{{mailsOfDevice, nonce, false}}
		}
	}
	return s.attempts(ctx, tries)
}

// Register notes that somebody wants an account. What follows happens behind it, and
// does the same here whether or not the address is known. CodeInvalid: the address or the password cannot be one.
func (s *Service) Register(ctx context.Context, address, password string, from From) error {
	if s.cfg.Closed {
		return market.Errorf(market.CodeForbidden, "this server takes no registrations")
	}
	address, folded, err := ParseAddress(address)
	if err != nil {
		return err
	}
	if err := CheckPassword(password, address); err != nil {
		return err
	}
	if err := s.mayMail(ctx, folded, from); err != nil {
		return err
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.post(ctx, s.conn(), &entry{Kind: kindRegister, Address: address, Detail: detail{Password: hash, Network: network(from.Address)}})
}

// Forgotten notes that somebody forgot the password of an address; as Register, it does the
// same for every address.
func (s *Service) Forgotten(ctx context.Context, address string, from From) error {
	address, folded, err := ParseAddress(address)
	if err != nil {
		return err
	}
	if err := s.mayMail(ctx, folded, from); err != nil {
		return err
	}
	return s.post(ctx, s.conn(), &entry{Kind: kindForgotten, Address: address, Detail: detail{Network: network(from.Address)}})
}

// register does what a registration asked for: an account, or word to the one that there
// is. An account whose address nobody verified is taken over whole.
func (s *Service) register(ctx context.Context, c conn, e *entry) error {
	account, verified, err := s.byAddress(ctx, c, e.Address)
	if err != nil {
		return err
	}
	if verified {
		return s.post(ctx, c, &entry{Kind: mailExists, Account: account, Detail: detail{Network: e.Detail.Network}})
	}
	if account == "" {
		if account, err = s.create(ctx, c, e.Address); err != nil {
			return err
		}
	} else if err := s.wipe(ctx, c, account); err != nil {
		return err
	}
	if err := c.do(ctx, `UPDATE access_accounts SET password = $2 WHERE id = $1`, account, e.Detail.Password); err != nil {
		return err
	}
	return s.post(ctx, c, &entry{Kind: mailVerify, Account: account, Detail: detail{Network: e.Detail.Network}})
}

// forgotten writes to the account of an address, if there is one.
func (s *Service) forgotten(ctx context.Context, c conn, e *entry) error {
	account, _, err := s.byAddress(ctx, c, e.Address)
	if err != nil || account == "" {
		return err
	}
	return s.post(ctx, c, &entry{Kind: mailReset, Account: account, Detail: detail{Network: e.Detail.Network}})
}

// byAddress returns the account of an address; empty: there is none.
func (s *Service) byAddress(ctx context.Context, c conn, address string) (account string, verified bool, err error) {
	var at int64
	_, err = c.row(ctx, `SELECT id, verified_at FROM access_accounts WHERE folded = $1`, args(fold(address)), &account, &at)
	return account, at != 0, err
}

// create makes an account without a password, and its organization.
func (s *Service) create(ctx context.Context, c conn, address string) (string, error) {
	account, organization, now := newID("a_"), newID("o_"), int64(s.now())
	n, err := c.exec(ctx, `INSERT INTO access_accounts (id, address, folded, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		account, address, fold(address), now)
	if err != nil {
		return "", err
	}
	if n == 0 { // another process was quicker: tried again
		return "", errAgain
	}
	if err := c.do(ctx, `INSERT INTO access_organizations (id, name, plan, created_at) VALUES ($1, $2, $3, $4)`,
		organization, nameOf(address), s.cfg.Plan, now); err != nil {
		return "", err
	}
	return account, c.do(ctx, `INSERT INTO access_members (organization, account, role, since) VALUES ($1, $2, $3, $4)`, organization, account, Owner, now)
}

var errAgain = errors.New("somebody else made the account at the same time")

// wipe takes from an account whose address nobody verified whatever lets people into it.
// Its address stays as it is stored.
func (s *Service) wipe(ctx context.Context, c conn, account string) error {
	for _, query := range []string{
		`UPDATE access_accounts SET password = NULL WHERE id = $1`,
		`DELETE FROM access_identities WHERE account = $1`,
		`DELETE FROM access_account_sessions WHERE account = $1`,
		`DELETE FROM access_tokens WHERE account = $1`,
	} {
		if err := c.do(ctx, query, account); err != nil {
			return err
		}
	}
	return nil
}

// Verified is what Verify made of a link.
type Verified struct {
	Address string
	Purpose string // "verify", or "email": the account moved to the address
	// Session is the one that was handed in, with another token; nil: none was, or it
	// is another account's. All others of the account are over.
	Session *SignedIn
}

// Verify uses up a link that proves an address. in is who is signed in where the link was
// opened; nil: nobody. ErrLink: the link cannot be used.
func (s *Service) Verify(ctx context.Context, secret string, in *Session, from From) (out Verified, err error) {
	if err := s.attempt(ctx, linksOfNetwork, network(from.Address)); err != nil {
		return out, err
	}
	err = s.tx(ctx, func(c conn) error {
		out = Verified{Purpose: toVerify}
		one, err := s.use(ctx, c, toVerify, secret)
		if errors.Is(err, ErrLink) {
			out.Purpose = toMove
			one, err = s.use(ctx, c, toMove, secret)
		}
		if err != nil {
			return err
		}
		out.Address = one.address
		change := `UPDATE access_accounts SET verified_at = $2 WHERE id = $1 AND folded = $4 AND address = $3`
		if out.Purpose == toMove {
			if err := s.clear(ctx, c, one.account, one.address, from); err != nil {
				return err
			}
			change = `UPDATE access_accounts SET verified_at = $2, address = $3, folded = $4 WHERE id = $1
				AND NOT EXISTS (SELECT 1 FROM access_accounts WHERE folded = $4 AND id <> $1)`
		}
		n, err := c.exec(ctx, change, one.account, int64(s.now()), one.address, fold(one.address))
		if err == nil && n == 0 {
			err = ErrLink
		}
		if err != nil {
			return err
		}
		return s.renew(ctx, c, one.account, in, &out, from)
	})
	if err == nil {
		err = s.forgive(ctx, linksOfNetwork, network(from.Address), false)
	}
	return out, err
}

// renew ends the sessions of an account whose rights rose, but for the one that is in,
// which gets another token.
func (s *Service) renew(ctx context.Context, c conn, account string, in *Session, out *Verified, from From) error {
	spared := ""
	if in != nil && in.Account.ID == account {
		spared = in.ID
	}
	if err := s.endSessions(ctx, c, account, spared); err != nil {
		return err
	}
	by := &Session{Account: Account{ID: account}}
	if spared != "" {
		one, err := s.rotate(ctx, c, spared)
		if err != nil {
			return err
		}
		out.Session, by = &one, in
	}
	return s.audit(ctx, c, by, "address verified", out.Address, from)
}

// clear makes way for an account that moves to an address: the account that somebody
// made for it and nobody verified goes, and the address that is left is told.
func (s *Service) clear(ctx context.Context, c conn, account, address string, from From) error {
	other, verified, err := s.byAddress(ctx, c, address)
	if err != nil {
		return err
	}
	if other != "" && other != account && !verified {
		if err := s.remove(ctx, c, other); err != nil {
			return err
		}
	}
	var old string
	if _, err := c.row(ctx, `SELECT address FROM access_accounts WHERE id = $1`, args(account), &old); err != nil {
		return err
	}
	return s.post(ctx, c, &entry{Kind: mailChanged, Address: old, Account: account, Detail: detail{What: "The address of your account was changed.", Network: network(from.Address)}})
}

// VerifyAgain sends another link to who is signed in and has not verified the address.
func (s *Service) VerifyAgain(ctx context.Context, in *Session, from From) error {
	if in.Account.Verified {
		return market.Errorf(market.CodeConflict, "the address is verified already")
	}
	if err := s.mayMail(ctx, fold(in.Account.Address), from); err != nil {
		return err
	}
	return s.post(ctx, s.conn(), &entry{Kind: mailVerify, Account: in.Account.ID, Detail: detail{Network: network(from.Address)}})
}

// Reset sets a password by a link, which is used up, and ends every session of the
// account. It signs nobody in. Whoever has the link has the address: it counts as
// verified.
func (s *Service) Reset(ctx context.Context, secret, password string, from From) error {
	if err := s.attempt(ctx, linksOfNetwork, network(from.Address)); err != nil {
		return err
	}
	var address string
	ok, err := s.conn().row(ctx, `SELECT address FROM access_tokens WHERE digest = $1 AND used_at = 0 AND ends_at > $2`,
		args(digestOf(toReset, secret), int64(s.now())), &address)
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrLink
	}
	if err := CheckPassword(password, address); err != nil {
		return err
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return err
	}
	err = s.tx(ctx, func(c conn) error {
		one, err := s.use(ctx, c, toReset, secret)
		if err != nil {
			return err
		}
		_, verified, err := s.byAddress(ctx, c, one.address)
		if err != nil {
			return err
		}
		if !verified { // what others put there goes
			if err := s.wipe(ctx, c, one.account); err != nil {
				return err
			}
		}
		n, err := c.exec(ctx, `UPDATE access_accounts SET password = $2, verified_at = CASE WHEN verified_at = 0 THEN $3 ELSE verified_at END
			WHERE id = $1 AND folded = $4`, one.account, hash, int64(s.now()), fold(one.address))
		if err == nil && n == 0 {
			err = ErrLink
		}
		if err != nil {
			return err
		}
		return s.passwordChanged(ctx, c, &Session{Account: Account{ID: one.account, Address: one.address}}, "password reset", from)
	})
	if err != nil {
		return err
	}
	return errors.Join(s.forgive(ctx, linksOfNetwork, network(from.Address), false), s.forgive(ctx, wrongOfAddress, fold(address), true))
}

// passwordChanged ends the other sessions of an account, and the links that could change
// the password again, and tells its owner.
func (s *Service) passwordChanged(ctx context.Context, c conn, in *Session, action string, from From) error {
	if err := s.endSessions(ctx, c, in.Account.ID, in.ID); err != nil {
		return err
	}
	if err := c.do(ctx, `DELETE FROM access_tokens WHERE account = $1 AND purpose IN ('reset', 'email', 'join')`, in.Account.ID); err != nil {
		return err
	}
	if err := s.post(ctx, c, &entry{Kind: mailChanged, Address: in.Account.Address, Account: in.Account.ID,
		Detail: detail{What: "The password of your account was changed.", Network: network(from.Address)}}); err != nil {
		return err
	}
	return s.audit(ctx, c, in, action, "", from)
}

// ChangePassword sets another password and ends all other sessions; the one that it is
// done in gets another token.
func (s *Service) ChangePassword(ctx context.Context, in *Session, current, password string, from From) (out SignedIn, err error) {
	if err := CheckPassword(password, in.Account.Address); err != nil {
		return out, err
	}
	if err := s.again(ctx, in, current); err != nil {
		return out, err
	}
	hash, err := s.hash(ctx, password)
	if err != nil {
		return out, err
	}
	err = s.tx(ctx, func(c conn) error {
		if err := c.do(ctx, `UPDATE access_accounts SET password = $2 WHERE id = $1`, in.Account.ID, hash); err != nil {
			return err
		}
		if err := s.passwordChanged(ctx, c, in, "password changed", from); err != nil {
			return err
		}
		out, err = s.rotate(ctx, c, in.ID)
		return err
	})
	return out, err
}

// ChangeAddress sends a link to another address, which the account moves to when it is
// used, and tells the present one. What is done does not depend on whether the other
// address has an account.
func (s *Service) ChangeAddress(ctx context.Context, in *Session, address, password string, from From) error {
	address, folded, err := ParseAddress(address)
	if err != nil {
		return err
	}
	if err := s.mayMail(ctx, folded, from); err != nil {
		return err
	}
	if err := s.again(ctx, in, password); err != nil {
		return err
	}
	return s.tx(ctx, func(c conn) error {
		if err := s.post(ctx, c, &entry{Kind: mailMove, Address: address, Account: in.Account.ID, Detail: detail{Network: network(from.Address)}}); err != nil {
			return err
		}
		if err := s.post(ctx, c, &entry{Kind: mailChanged, Address: in.Account.Address, Account: in.Account.ID,
			Detail: detail{What: "Somebody asked for the address of your account to be changed to " + address + ".", Network: network(from.Address)}}); err != nil {
			return err
		}
		return s.audit(ctx, c, in, "change of address asked for", address, from)
	})
}
