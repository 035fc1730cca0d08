package people

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/market"
)

// list is an answer that has several of something.
type list[T any] struct {
	Data []T `json:"data"`
}

func listOf[T, U any](in []T, make1 func(*T) U) list[U] {
	out := list[U]{make([]U, len(in))}
	for i := range in {
		out.Data[i] = make1(&in[i])
	}
	return out
}

// someTime is a time, or null.
func someTime(at market.Instant) *market.Instant {
	if at == 0 {
		return nil
	}
	return &at
}

type organizationRef struct {
	ID   string        `json:"id"`
	Name string        `json:"name"`
	Plan string        `json:"plan"`
	Role accounts.Role `json:"role"`
}

type identityRecord struct {
	Issuer    string         `json:"issuer"`
	CreatedAt market.Instant `json:"created_at"`
}

type accountRecord struct {
	ID            string            `json:"id"`
	Email         string            `json:"email"`
	Verified      bool              `json:"verified"`
	Password      bool              `json:"password"`
	Identities    []identityRecord  `json:"identities"`
	CreatedAt     market.Instant    `json:"created_at"`
	Organization  string            `json:"organization"`
	Role          accounts.Role     `json:"role"`
	Organizations []organizationRef `json:"organizations"`
}

func refOf(m *accounts.Membership) organizationRef {
	return organizationRef{m.ID, m.Name, m.Plan, m.Role}
}

// tellAccount answers with the account of a session.
func (h *Handler) tellAccount(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	identities, err := h.cfg.Accounts.Identities(r.Context(), in)
	if err != nil {
		return err
	}
	organizations, err := h.cfg.Accounts.Organizations(r.Context(), in)
	if err != nil {
		return err
	}
	a := &in.Account
	wire.WriteJSON(w, http.StatusOK, accountRecord{
		ID: a.ID, Email: a.Address, Verified: a.Verified, Password: a.HasPassword, CreatedAt: a.CreatedAt,
		Identities:   listOf(identities, func(i *accounts.Identity) identityRecord { return identityRecord{i.Issuer, i.CreatedAt} }).Data,
		Organization: in.Organization.ID, Role: in.Organization.Role, Organizations: listOf(organizations, refOf).Data,
	})
	return nil
}

func (h *Handler) changePassword(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	current, _ := f.maybe("current")
	password := f.text("password")
	f.check("password", credentials.CheckPassword(password, in.Account.Address))
	if err := f.err(); err != nil {
		return err
	}
	out, err := h.cfg.Accounts.ChangePassword(r.Context(), in, current, password, h.From(r))
	if err != nil {
		return err
	}
	h.give(w, r, &out)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *Handler) changeAddress(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	address := f.text("email")
	password, _ := f.maybe("password")
	_, _, bad := credentials.ParseAddress(address)
	f.check("email", bad)
	if err := f.err(); err != nil {
		return err
	}
	if err := h.cfg.Accounts.ChangeAddress(r.Context(), in, address, password, h.From(r)); err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusAccepted, told{lookForMove})
	return nil
}

func (h *Handler) workIn(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	id := f.text("id")
	if err := f.err(); err != nil {
		return err
	}
	out, err := h.cfg.Accounts.WorkIn(r.Context(), in, id)
	if err != nil {
		return err
	}
	h.give(w, r, &out)
	return h.tellAccount(w, r, &out.Session)
}

type sessionRecord struct {
	ID        string         `json:"id"`
	Current   bool           `json:"current"`
	CreatedAt market.Instant `json:"created_at"`
	SeenAt    market.Instant `json:"seen_at"`
	EndsAt    market.Instant `json:"ends_at"`
	Agent     string         `json:"agent"`
	Network   string         `json:"network"`
}

func recordOfSession(s *accounts.Session, current string) sessionRecord {
	return sessionRecord{s.ID, s.ID == current, s.MadeAt, s.SeenAt, s.EndsAt, s.Agent, s.Network}
}

func (h *Handler) sessions(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	all, err := h.cfg.Accounts.Sessions(r.Context(), in)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, listOf(all, func(s *accounts.Session) sessionRecord { return recordOfSession(s, in.ID) }))
	return nil
}

func (h *Handler) endSession(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	id := r.PathValue("id")
	if err := h.cfg.Accounts.EndSession(r.Context(), in, id, h.From(r)); err != nil {
		return err
	}
	if id == in.ID {
		h.drop(w, r)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *Handler) endOthers(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	return wire.Done(w, h.cfg.Accounts.EndOtherSessions(r.Context(), in, h.From(r)))
}

type agentRecord struct {
	ID           string         `json:"id"`
	Client       string         `json:"client"`
	Name         string         `json:"name"`
	Scopes       []string       `json:"scopes"`
	Organization string         `json:"organization"` // its name
	CreatedAt    market.Instant `json:"created_at"`
	UsedAt       market.Instant `json:"used_at"`
}

func recordOfAgent(g *accounts.Grant) agentRecord {
	return agentRecord{g.ID, g.Client, g.Name, g.Scopes, g.Organization.Name, g.MadeAt, g.UsedAt}
}

func (h *Handler) agents(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	all, err := h.cfg.Accounts.Grants(r.Context(), in)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, listOf(all, recordOfAgent))
	return nil
}

func (h *Handler) endAgent(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	return wire.Done(w, h.cfg.Accounts.EndGrant(r.Context(), in, r.PathValue("id"), h.From(r)))
}

func (h *Handler) delete(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	password, _ := f.maybe("password")
	if err := f.err(); err != nil {
		return err
	}
	if err := h.cfg.Accounts.Delete(r.Context(), in, password); err != nil {
		return err
	}
	h.auth.Keys.Forget()
	h.drop(w, r)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// exportRecord is the answer of GET /app/account/export, which has "runs" after it.
type exportRecord struct {
	Account       exportedAccount        `json:"account"`
	Identities    []exportedIdentity     `json:"identities"`
	Sessions      []sessionRecord        `json:"sessions"`
	Agents        []agentRecord          `json:"agents"`
	Organizations []exportedOrganization `json:"organizations"`
	Mails         []exportedMail         `json:"mails"`
}

type exportedAccount struct {
	ID        string         `json:"id"`
	Email     string         `json:"email"`
	Verified  bool           `json:"verified"`
	Password  bool           `json:"password"`
	CreatedAt market.Instant `json:"created_at"`
}

type exportedIdentity struct {
	Issuer    string         `json:"issuer"`
	Subject   string         `json:"subject"`
	CreatedAt market.Instant `json:"created_at"`
}

type exportedOrganization struct {
	organizationRef
	Keys  []keyRecord   `json:"keys"`
	Audit []auditRecord `json:"audit"`
}

type exportedMail struct {
	Kind      string          `json:"kind"`
	Email     string          `json:"email"`
	CreatedAt market.Instant  `json:"created_at"`
	SentAt    *market.Instant `json:"sent_at"`
}

func (h *Handler) export(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	all, err := h.cfg.Accounts.Export(r.Context(), in)
	if err != nil {
		return err
	}
	a := &all.Account
	head, err := json.Marshal(exportRecord{
		Account:    exportedAccount{a.ID, a.Address, a.Verified, a.HasPassword, a.CreatedAt},
		Identities: listOf(all.Identities, func(i *accounts.Identity) exportedIdentity { return exportedIdentity{i.Issuer, i.Subject, i.CreatedAt} }).Data,
		Sessions:   listOf(all.Sessions, func(s *accounts.Session) sessionRecord { return recordOfSession(s, in.ID) }).Data,
		Agents:     listOf(all.Grants, recordOfAgent).Data,
		Organizations: listOf(all.Organizations, func(o *accounts.ExportedOrganization) exportedOrganization {
			return exportedOrganization{refOf(&o.Membership), listOf(o.Keys, h.keyOf).Data, listOf(o.Audit, auditOf).Data}
		}).Data,
		Mails: listOf(all.Mails, func(m *accounts.ExportedMail) exportedMail {
			return exportedMail{m.Kind, m.Address, m.MadeAt, someTime(m.DoneAt)}
		}).Data,
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="ladderback-account.json"`)
	out := bufio.NewWriter(w)
	_, _ = out.Write(bytes.TrimSuffix(head, []byte("}")))
	_, _ = out.WriteString(`,"runs":[`)
	between := ""
	err = h.cfg.Accounts.ExportRuns(r.Context(), in, func(run json.RawMessage) error {
		_, _ = out.WriteString(between)
		between = ","
		_, err := out.Write(run)
		return err
	})
	if err != nil {
		// Half of an answer has been sent: the client shall see that it is cut off.
		panic(http.ErrAbortHandler)
	}
	_, _ = out.WriteString("]}")
	_ = out.Flush() // the client has gone: nobody is left to tell
	return nil
}
