package accounts

import (
	"net/netip"
	"strings"
	"unicode"

	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
)

// Role is what a member may do in an organization.
type Role string

// Roles, from the one that may do most.
const (
	Owner  Role = "owner"  // everything
	Member Role = "member" // keys of their own, backtests
	Viewer Role = "viewer" // reads
)

// rank orders roles; 0: none.
func (r Role) rank() int {
	switch r {
	case Owner:
		return 3
	case Member:
		return 2
	case Viewer:
		return 1
	}
	return 0
}

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool { return r.rank() > 0 }

// May reports whether somebody of role r may do what takes the role least.
func (r Role) May(least Role) bool { return r.rank() >= least.rank() }

// From says where a request comes from.
type From struct {
	Address netip.Addr // of the client; only its network is kept
	Agent   string     // User-Agent; its first 200 characters are kept
	Device  string     // SignedIn.Device of an earlier sign-in in the browser; empty: none
}

// network returns the network of an address, which is all that is kept of it: /24, or
// /48 of IPv6.
func network(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	a = a.Unmap().WithZone("")
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}

// maxAgent is how much of a User-Agent is kept, in characters.
const maxAgent = 200

func (f From) agent() string {
	text := []rune(strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, f.Agent), ""))
	return string(text[:min(len(text), maxAgent)])
}

// Account is a person.
type Account struct {
	ID          string
	Address     string // that its mails go to: the domain in ASCII
	Verified    bool
	HasPassword bool
	CreatedAt   market.Instant

	hash string // of the password; empty: there is none
}

// Identity is how an identity provider knows a person.
type Identity struct {
	Issuer, Subject string
	CreatedAt       market.Instant
}

// Membership is an organization as one of its members sees it.
type Membership struct {
	ID   string
	Name string
	Plan string // its ID
	Role Role
}

// Session is somebody who is signed in.
type Session struct {
	ID           string // for lists; worth nothing as a cookie
	Account      Account
	Organization Membership // worked in
	MadeAt       market.Instant
	SeenAt       market.Instant // to a minute
	EndsAt       market.Instant // at the latest
	Agent        string
	Network      string // "192.0.2.0/24", "2001:db8::/48"
}

// SessionKey begins the id of the key under which a session's requests count.
const SessionKey = "session:"

// Holder returns how the session counts as a holder of a key: with the plan of its
// organization, under a key of its account there.
func (s *Session) Holder(plans identity.Plans) (identity.Holder, error) {
	p, err := plans.Find(s.Organization.Plan)
	if err != nil {
		return identity.Holder{}, market.Errorf(market.CodeForbidden, "plan %s of this organization is not configured on this server", s.Organization.Plan)
	}
	return identity.Holder{Plan: p, Key: identity.Key{
		ID: SessionKey + s.Organization.ID + ":" + s.Account.ID, Plan: p.ID(), Name: "session",
		Organization: s.Organization.Name, OrganizationID: s.Organization.ID, Maker: s.Account.ID,
	}}, nil
}

// SignedIn is a session with its token, which only the browser keeps.
type SignedIn struct {
	Session
	Token string // of the cookie
	// Device is the value of a cookie by which the browser is known when it signs in again;
	// it lets nobody in by itself. Empty: the account has no password.
	Device string
}

// Errors that callers tell apart.
var (
	// ErrWrong: the address or the password is wrong; which one is not said.
	ErrWrong error = market.Errorf(market.CodeUnauthorized, "the address or the password is wrong")
	// ErrLink: the secret of a link cannot be used.
	ErrLink error = market.Errorf(market.CodeBadRequest, "the link is unknown, was used before, or is too old: ask for another")
	// ErrUnverified: what is asked for needs a verified address.
	ErrUnverified error = market.Errorf(market.CodeForbidden, "verify your address first: the link is in the mail that was sent to it")
	// ErrRole: the role in the organization does not suffice.
	ErrRole error = market.Errorf(market.CodeForbidden, "your role in this organization does not allow this")
)

// JoinError says that an identity is unknown while its address belongs to an account: the
// account's password joins them (Service.Join).
type JoinError struct {
	Ticket string // for Join, once, within ten minutes
}

// Error implements error.
func (*JoinError) Error() string {
	return "there is an account with this address: its password is needed once"
}
