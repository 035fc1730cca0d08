package people

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/ladderback/ladderback/api/question"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/market"
)

// subjectRecord says who is signed in.
type subjectRecord struct {
	Organization string `json:"organization"`
	Plan         string `json:"plan"`
	Backtest     bool   `json:"backtest"` // whether the plan has backtests
	// Account is whose session it is; nil: that of a key.
	Account *subjectAccount `json:"account,omitempty"`
}

// subjectAccount is the account of a session.
type subjectAccount struct {
	ID       string        `json:"id"`
	Email    string        `json:"email"`
	Verified bool          `json:"verified"`
	Role     accounts.Role `json:"role"`
}

func recordOf(s *accounts.Subject) subjectRecord {
	out := subjectRecord{Organization: s.Key.Organization, Plan: s.Plan.Name, Backtest: s.Plan.Backtest}
	if in := s.Person; in != nil {
		out.Account = &subjectAccount{in.Account.ID, in.Account.Address, in.Account.Verified, in.Organization.Role}
	}
	return out
}

// enterByKey answers POST /app/session with a key or a ticket, which works once.
func (h *Handler) enterByKey(w http.ResponseWriter, r *http.Request) error {
	text, err := question.Body(r)
	if err != nil {
		return err
	}
	var q struct{ Key, Ticket string }
	if _, err := question.Object("body", text); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &q); err != nil || (q.Key == "") == (q.Ticket == "") {
		return wire.BadRequest(`body: expected {"key": "lb_…"}, or {"ticket": "…"}`)
	}
	var token string
	var holder identity.Holder
	if q.Key != "" {
		token, holder, err = h.auth.Keys.SignIn(r.Context(), strings.TrimSpace(q.Key))
	} else {
		token, holder, err = h.auth.Keys.Redeem(r.Context(), q.Ticket)
	}
	switch {
	case errors.Is(err, identity.ErrUnauthorized) && q.Ticket != "":
		return market.Errorf(market.CodeUnauthorized, "the link was used before, or is older than ten minutes: sign in with a key")
	case errors.Is(err, identity.ErrUnauthorized):
		return market.Errorf(market.CodeUnauthorized, "API key invalid or revoked")
	case err != nil && market.CodeOf(err) != market.CodeForbidden:
		return wire.Unavailable("the store of keys", err)
	case err != nil:
		return err
	}
	if err := h.auth.SignOut(r.Context(), h.tokenOf(r)); err != nil { // of the session that the browser had
		return wire.Unavailable("the store of sessions", err)
	}
	wire.LogOf(r.Context()).Key = holder.Key.ID
	http.SetCookie(w, h.cookie(r, token))
	wire.WriteJSON(w, http.StatusOK, recordOf(&accounts.Subject{Holder: holder}))
	return nil
}

// tellSubject answers GET /app/session: who is signed in, or that nobody is, which is no
// error of who asks.
func (h *Handler) tellSubject(w http.ResponseWriter, r *http.Request) error {
	s, err := h.Subject(r)
	if errors.Is(err, identity.ErrNoSession) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		if market.AsError(err) == nil {
			return wire.Unavailable("the store of sessions", err)
		}
		return err
	}
	http.SetCookie(w, h.cookie(r, h.tokenOf(r))) // lives on as long as it is used
	wire.WriteJSON(w, http.StatusOK, recordOf(&s))
	return nil
}

// signOut answers DELETE /app/session.
func (h *Handler) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := h.auth.SignOut(r.Context(), h.tokenOf(r)); err != nil {
		return wire.Unavailable("the store of sessions", err)
	}
	h.drop(w, r)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
