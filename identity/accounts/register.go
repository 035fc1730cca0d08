package accounts

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/credentials"
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
// are worth nothing from then on; but each registration of an address has its own.
func (s *Service) issue(ctx context.Context, c conn, account, purpose, address, detail string, life time.Duration) (string, error) {
	secret := identity.NewSecret()
	if err := c.do(ctx, `DELETE FROM access_tokens WHERE account = $1 AND purpose = $2 AND (purpose <> 'verify' OR detail = $3)`, account, purpose, detail); err != nil {
		return "", err
	}
	return secret, c.do(ctx, `INSERT INTO access_tokens (digest, account, purpose, address, detail, ends_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		digestOf(purpose, secret), account, purpose, address, detail, int64(s.now()+span(life)))
}

// issued is what a secret stands for.
type issued struct{ account, address, detail string }

// look returns what a secret stands for. ErrLink: it cannot be used.
func (s *Service) look(ctx context.Context, purpose, secret string) (one issued, err error) {
	ok, err := s.conn().row(ctx, `SELECT account, address, detail FROM access_tokens WHERE digest = $1 AND used_at = 0 AND ends_at > $2`,
		args(digestOf(purpose, secret), int64(s.now())), &one.account, &one.address, &one.detail)
	if err == nil && !ok {
		err = ErrLink
	}
	return one, err
}

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
	address, folded, err := credentials.ParseAddress(address)
	if err != nil {
		return err
	}
	if err := credentials.CheckPassword(password, address); err != nil {
		return err
	}
	if err := s.mayMail(ctx, folded, from); err != nil {
		return err
	}
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.post(ctx, s.conn(), &entry{Kind: kindRegister, Address: address, Detail: detail{Password: hash, Network: network(from.Address)}})
}

// Forgotten notes that somebody forgot the password of an address; as Register, it does the
// same for every address.
func (s *Service) Forgotten(ctx context.Context, address string, from From) error {
	address, folded, err := credentials.ParseAddress(address)
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
	return s.post(ctx, c, &entry{Kind: mailVerify, Account: account, Detail: detail{Network: e.Detail.Network, Claim: claim{Password: e.Detail.Password}}})
}

// forgotten writes to the account of an address, if there is one.
func (s *Service) forgotten(ctx context.Context, c conn, e *entry) error {
	account, _, err := s.byAddress(ctx, c, e.Address)
	if err != nil || account == "" {
		return err
	}
	return s.post(ctx, c, &entry{Kind: mailReset, Account: account, Detail: detail{Network: e.Detail.Network}})
}

// byAddress returns the account of an address, and holds it; empty: there is none.
func (s *Service) byAddress(ctx context.Context, c conn, address string) (account string, verified bool, err error) {
	var at int64
	_, err = c.row(ctx, `UPDATE access_accounts SET folded = folded WHERE folded = $1 RETURNING id, verified_at`, args(credentials.FoldAddress(address)), &account, &at)
	return account, at != 0, err
}

// create makes an account without a password, and its organization.
func (s *Service) create(ctx context.Context, c conn, address string) (string, error) {
	account, organization, now := newID("a_"), newID("o_"), int64(s.now())
	n, err := c.exec(ctx, `INSERT INTO access_accounts (id, address, folded, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		account, address, credentials.FoldAddress(address), now)
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

// dropMoves forgets mails that wait to be sent to where an account was to move to: each
// would make a link of its own when it is.
const dropMoves = `DELETE FROM access_outbox WHERE account = $1 AND kind = 'mail email' AND done_at = 0`

// wipe takes from an account whose address nobody verified whatever lets people into it,
// but for the links that verify what their own registrations set.
// Its address stays as it is stored.
func (s *Service) wipe(ctx context.Context, c conn, account string) error {
	for _, query := range []string{
		`UPDATE access_accounts SET password = NULL WHERE id = $1`,
		`DELETE FROM access_identities WHERE account = $1`,
		`DELETE FROM access_sessions WHERE account = $1`,
		`DELETE FROM access_grants WHERE account = $1`,
		`DELETE FROM access_tokens WHERE account = $1 AND purpose <> 'verify'`,
		dropMoves,
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

// Verify uses up a link that proves an address. The link alone does not suffice, since
// anybody can have one sent to any address: it takes the password that its own registration
// set (of a change of address: the account's), or in, the session of who registered, where
// the link was opened; in may be nil, and password empty. What other registrations set for
// the address is gone afterwards. ErrLink: the link cannot be used. CodeUnauthorized: it is
// not shown that whoever opens it registered; it stays good.
func (s *Service) Verify(ctx context.Context, secret, password string, in *Session, from From) (out Verified, err error) {
	links := []try{{linksOfNetwork, network(from.Address), false}}
	if err := s.attempts(ctx, links); err != nil {
		return out, err
	}
	out.Purpose = toVerify
	one, err := s.look(ctx, toVerify, secret)
	if errors.Is(err, ErrLink) {
		out.Purpose = toMove
		one, err = s.look(ctx, toMove, secret)
	}
	if err != nil {
		return out, err
	}
	set, err := s.registered(ctx, &one, out.Purpose, password, in, from)
	if err != nil {
		return out, err
	}
	err = s.tx(ctx, func(c conn) error {
		if err := s.hold(ctx, c, one.account); err != nil {
			return err
		}
		one, err := s.use(ctx, c, out.Purpose, secret)
		if err != nil {
			return err
		}
		out.Address = one.address
		if out.Purpose == toMove {
			err = s.move(ctx, c, &one, from)
		} else {
			err = s.settle(ctx, c, &one, set)
		}
		if err != nil {
			return err
		}
		return s.renew(ctx, c, one.account, in, &out, from)
	})
	if err == nil {
		err = s.succeeded(ctx, links)
	}
	return out, err
}

// claim is what a registration set on an address: a password (its hash) or an identity.
type claim struct {
	Password string `json:"password,omitempty"`
	Issuer   string `json:"issuer,omitempty"`
	Subject  string `json:"subject,omitempty"`
}

// claimOf returns what the latest registration of an account set.
func (s *Service) claimOf(ctx context.Context, c conn, account string) (set claim, err error) {
	var password, issuer, subject sql.NullString
	_, err = c.row(ctx, `SELECT a.password, i.issuer, i.subject FROM access_accounts a LEFT JOIN access_identities i ON i.account = a.id
		WHERE a.id = $1 ORDER BY i.created_at, i.issuer LIMIT 1`, args(account), &password, &issuer, &subject)
	return claim{password.String, issuer.String, subject.String}, err
}

var (
	errSignInFirst = market.Errorf(market.CodeUnauthorized, "sign in first, in this browser and the way that you registered: the link alone is not enough")
	errItsPassword = market.Errorf(market.CodeUnauthorized, "the password that you chose is needed too: the link alone is not enough")
	errOther       = market.Errorf(market.CodeUnauthorized,
		"this is not the password of the registration that the link belongs to: use the newest link that you asked for, or choose another password under “Forgotten the password?”")
)

// registered returns what the registration of a link set, if it is shown that whoever
// opens the link registered.
func (s *Service) registered(ctx context.Context, one *issued, purpose, password string, in *Session, from From) (set claim, err error) {
	now, err := s.claimOf(ctx, s.conn(), one.account)
	if err != nil {
		return set, err
	}
	if set = now; purpose == toVerify {
		set = claim{}
		if err := json.Unmarshal([]byte(one.detail), &set); err != nil {
			return set, err
		}
	}
	switch {
	case in != nil && in.Account.ID == one.account && set == now:
		return set, nil // sessions of earlier registrations have ended
	case set.Password == "":
		return set, errSignInFirst
	case password == "":
		return set, errItsPassword
	}
	done, err := s.hasher.Turn(ctx)
	if err != nil {
		return set, err
	}
	defer done()
	if err := s.check(ctx, password, set.Password, s.strangers(credentials.FoldAddress(one.address), from)); errors.Is(err, ErrWrong) {
		return set, errOther
	} else if err != nil {
		return set, err
	}
	return set, nil
}

// settle makes an account that of whoever registered with a link: what other
// registrations set goes.
func (s *Service) settle(ctx context.Context, c conn, one *issued, set claim) error {
	now, err := s.claimOf(ctx, c, one.account)
	if err != nil {
		return err
	}
	if now != set {
		if err := s.wipe(ctx, c, one.account); err != nil {
			return err
		}
		if err := c.do(ctx, `UPDATE access_accounts SET password = $2 WHERE id = $1`, one.account, sql.NullString{String: set.Password, Valid: set.Password != ""}); err != nil {
			return err
		}
	}
	if err := c.do(ctx, `DELETE FROM access_tokens WHERE account = $1 AND purpose = $2`, one.account, toVerify); err != nil {
		return err
	}
	n, err := c.exec(ctx, `UPDATE access_accounts SET verified_at = $2 WHERE id = $1 AND verified_at = 0 AND address = $3`, one.account, int64(s.now()), one.address)
	if err == nil && n == 0 {
		err = ErrLink
	}
	return err
}

// move moves an account to the address that a link was sent to.
func (s *Service) move(ctx context.Context, c conn, one *issued, from From) error {
	if err := s.clear(ctx, c, one.account, one.address, from); err != nil {
		return err
	}
	if err := c.do(ctx, `DELETE FROM access_tokens WHERE account = $1 AND purpose = $2`, one.account, toVerify); err != nil {
		return err
	}
	n, err := c.exec(ctx, `UPDATE access_accounts SET verified_at = $2, address = $3, folded = $4 WHERE id = $1
		AND NOT EXISTS (SELECT 1 FROM access_accounts WHERE folded = $4 AND id <> $1)`, one.account, int64(s.now()), one.address, credentials.FoldAddress(one.address))
	if err == nil && n == 0 {
		err = ErrLink
	}
	return err
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
	if err := s.mayMail(ctx, credentials.FoldAddress(in.Account.Address), from); err != nil {
		return err
	}
	set, err := s.claimOf(ctx, s.conn(), in.Account.ID)
	if err != nil {
		return err
	}
	return s.post(ctx, s.conn(), &entry{Kind: mailVerify, Account: in.Account.ID, Detail: detail{Network: network(from.Address), Claim: set}})
}

// Reset sets a password by a link, which is used up, and ends every session of the
// account. It signs nobody in. Whoever has the link has the address: it counts as
// verified. revoke takes away what else lets people in: the keys that the account made and
// the identities joined to it.
func (s *Service) Reset(ctx context.Context, secret, password string, revoke bool, from From) error {
	links := []try{{linksOfNetwork, network(from.Address), false}}
	if err := s.attempts(ctx, links); err != nil {
		return err
	}
	meant, err := s.look(ctx, toReset, secret)
	if err != nil {
		return err
	}
	if err := credentials.CheckPassword(password, meant.address); err != nil {
		return err
	}
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	err = s.tx(ctx, func(c conn) error {
		if err := s.hold(ctx, c, meant.account); err != nil {
			return err
		}
		one, err := s.use(ctx, c, toReset, secret)
		if err != nil {
			return err
		}
		if err := s.strip(ctx, c, &one, revoke); err != nil {
			return err
		}
		n, err := c.exec(ctx, `UPDATE access_accounts SET password = $2, verified_at = CASE WHEN verified_at = 0 THEN $3 ELSE verified_at END
			WHERE id = $1 AND folded = $4`, one.account, hash, int64(s.now()), credentials.FoldAddress(one.address))
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
	return errors.Join(s.succeeded(ctx, links), s.forgive(ctx, wrongOfAddress, credentials.FoldAddress(meant.address), true))
}

// strip takes from an account what a reset of its password by a link takes.
func (s *Service) strip(ctx context.Context, c conn, l *issued, revoke bool) error {
	_, verified, err := s.byAddress(ctx, c, l.address)
	if err != nil {
		return err
	}
	if !verified { // what others put there goes
		err = errors.Join(s.wipe(ctx, c, l.account), c.do(ctx, `DELETE FROM access_tokens WHERE account = $1 AND purpose = $2`, l.account, toVerify))
	}
	if err == nil && revoke {
		err = s.revokeAll(ctx, c, l.account)
	}
	return err
}

// revokeAll revokes the keys that an account made, ends its grants, and takes its
// identities from it.
func (s *Service) revokeAll(ctx context.Context, c conn, account string) error {
	if err := c.do(ctx, `UPDATE access_keys SET revoked_at = $2 WHERE maker = $1 AND revoked_at = 0`, account, int64(s.now())); err != nil {
		return err
	}
	if err := c.do(ctx, `DELETE FROM access_grants WHERE account = $1`, account); err != nil {
		return err
	}
	return c.do(ctx, `DELETE FROM access_identities WHERE account = $1`, account)
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
	if err := c.do(ctx, dropMoves, in.Account.ID); err != nil {
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
	if err := credentials.CheckPassword(password, in.Account.Address); err != nil {
		return out, err
	}
	if err := s.again(ctx, in, current); err != nil {
		return out, err
	}
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return out, err
	}
	err = s.tx(ctx, func(c conn) error {
		if err := s.stillIn(ctx, c, in); err != nil {
			return err
		}
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
	address, folded, err := credentials.ParseAddress(address)
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
		if err := s.stillIn(ctx, c, in); err != nil {
			return err
		}
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
