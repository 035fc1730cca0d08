package people

import (
	"errors"
	"net/http"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/market"
)

// told is an answer in words.
type told struct {
	Message string `json:"message"`
}

const (
	lookForLink  = "Look into your mail: what to do next is in there."
	lookForReset = "If there is an account with this address, a mail with a link is on its way to it."
	lookForMove  = "Open the link in the mail to the new address to move there."
)

// options say how people can come in. Without accounts, with a key alone: Mail is empty.
type options struct {
	Accounts     bool       `json:"accounts"`
	Registration bool       `json:"registration"`
	Mail         string     `json:"mail,omitempty"`
	Providers    []Provider `json:"providers"`
}

func (h *Handler) options(w http.ResponseWriter, _ *http.Request) error {
	list := h.cfg.Providers
	if list == nil {
		list = []Provider{}
	}
	if h.cfg.Accounts == nil {
		wire.WriteJSON(w, http.StatusOK, options{Providers: list})
		return nil
	}
	wire.WriteJSON(w, http.StatusOK, options{true, !h.cfg.Accounts.Closed(), h.cfg.Accounts.MailKind(), list})
	return nil
}

func (h *Handler) register(w http.ResponseWriter, r *http.Request, f *form) error {
	address, password := f.text("email"), f.text("password")
	_, _, bad := credentials.ParseAddress(address)
	f.check("email", bad)
	f.check("password", credentials.CheckPassword(password, address))
	if err := f.err(); err != nil {
		return err
	}
	if err := h.cfg.Accounts.Register(r.Context(), address, password, h.From(r)); err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusAccepted, told{lookForLink})
	return nil
}

// verified is the answer of POST /app/verify.
type verified struct {
	Email   string `json:"email"`
	Purpose string `json:"purpose"`
}

func (h *Handler) verify(w http.ResponseWriter, r *http.Request, f *form) error {
	token := f.text("token")
	password, _ := f.maybe("password")
	if err := f.err(); err != nil {
		return err
	}
	in, err := h.Session(r)
	if err != nil && !errors.Is(err, identity.ErrNoSession) {
		return err
	}
	if err != nil {
		in = nil
	}
	out, err := h.cfg.Accounts.Verify(r.Context(), token, password, in, h.From(r))
	if err != nil {
		return err
	}
	if out.Session != nil {
		h.give(w, r, out.Session)
	}
	wire.WriteJSON(w, http.StatusOK, verified{out.Address, out.Purpose})
	return nil
}

func (h *Handler) verifyAgain(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	if err := h.cfg.Accounts.VerifyAgain(r.Context(), in, h.From(r)); err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusAccepted, told{lookForLink})
	return nil
}

func (h *Handler) signIn(w http.ResponseWriter, r *http.Request, f *form) error {
	address, password := f.text("email"), f.text("password")
	if err := f.err(); err != nil {
		return err
	}
	in, err := h.cfg.Accounts.SignIn(r.Context(), address, password, h.From(r))
	if err != nil {
		return err
	}
	return h.entered(w, r, &in)
}

// entered answers somebody who came in.
func (h *Handler) entered(w http.ResponseWriter, r *http.Request, in *accounts.SignedIn) error {
	if err := h.Enter(w, r, in); err != nil {
		return err
	}
	return h.tellAccount(w, r, &in.Session)
}

func (h *Handler) join(w http.ResponseWriter, r *http.Request, f *form) error {
	ticket, password := f.text("ticket"), f.text("password")
	if err := f.err(); err != nil {
		return err
	}
	in, err := h.cfg.Accounts.Join(r.Context(), ticket, password, h.From(r))
	if err != nil {
		return err
	}
	return h.entered(w, r, &in)
}

func (h *Handler) forgotten(w http.ResponseWriter, r *http.Request, f *form) error {
	address := f.text("email")
	_, _, bad := credentials.ParseAddress(address)
	f.check("email", bad)
	if err := f.err(); err != nil {
		return err
	}
	if err := h.cfg.Accounts.Forgotten(r.Context(), address, h.From(r)); err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusAccepted, told{lookForReset})
	return nil
}

func (h *Handler) reset(w http.ResponseWriter, r *http.Request, f *form) error {
	token, password, revoke := f.text("token"), f.text("password"), f.yes("revoke")
	f.check("password", credentials.CheckPassword(password, ""))
	if err := f.err(); err != nil {
		return err
	}
	if err := passwordErr(h.cfg.Accounts.Reset(r.Context(), token, password, revoke, h.From(r))); err != nil {
		return err
	}
	h.auth.Keys.Forget()
	h.drop(w, r) // a session that was in this browser may be over
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// passwordErr tells of a password that the service refused as of a field.
func passwordErr(err error) error {
	if market.CodeOf(err) != market.CodeInvalid {
		return err
	}
	return wire.Invalid(wire.Details{{Loc: []any{"body", "password"}, Msg: market.AsError(err).Message, Type: "value_error"}})
}

// tokenRecord is the answer of POST /app/token.
type tokenRecord struct {
	Token     string         `json:"token"`
	ExpiresAt market.Instant `json:"expires_at"`
}

func (h *Handler) token(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	token, ends, err := h.cfg.Accounts.Token(r.Context(), in)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, tokenRecord{token, ends})
	return nil
}
