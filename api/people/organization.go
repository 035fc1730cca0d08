package people

import (
	"net/http"
	"time"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/identity/accounts"
	"github.com/ladderback/ladderback/identity/credentials"
	"github.com/ladderback/ladderback/market"
)

type organizationRecord struct {
	organizationRef
	CreatedAt market.Instant `json:"created_at"`
}

func (h *Handler) tellOrganization(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	at, err := h.cfg.Accounts.Founded(r.Context(), in)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, organizationRecord{refOf(&in.Organization), at})
	return nil
}

func (h *Handler) rename(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	name, bad := accounts.CheckName(f.text("name"))
	f.check("name", bad)
	if err := f.err(); err != nil {
		return err
	}
	if err := h.cfg.Accounts.Rename(r.Context(), in, name, h.From(r)); err != nil {
		return err
	}
	in.Organization.Name = name
	return h.tellOrganization(w, r, in)
}

type memberRecord struct {
	ID    string         `json:"id"`
	Email string         `json:"email"`
	Role  accounts.Role  `json:"role"`
	Since market.Instant `json:"since"`
}

func (h *Handler) members(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	all, err := h.cfg.Accounts.Members(r.Context(), in)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, listOf(all, func(m *accounts.Colleague) memberRecord { return memberRecord{m.ID, m.Address, m.Role, m.Since} }))
	return nil
}

// role reads the field of that name.
func (f *form) role() accounts.Role {
	role := accounts.Role(f.text("role"))
	if !f.is("role") && !role.Valid() {
		f.bad("role", "enum", "Input should be 'owner', 'member' or 'viewer'")
	}
	return role
}

func (h *Handler) setRole(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	role := f.role()
	if err := f.err(); err != nil {
		return err
	}
	return wire.Done(w, h.cfg.Accounts.SetRole(r.Context(), in, r.PathValue("id"), role, h.From(r)))
}

func (h *Handler) remove(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	defer h.auth.Keys.Forget() // those that the member made
	return wire.Done(w, h.cfg.Accounts.Remove(r.Context(), in, r.PathValue("id"), h.From(r)))
}

type invitationRecord struct {
	ID        string         `json:"id"`
	Email     string         `json:"email"`
	Role      accounts.Role  `json:"role"`
	CreatedAt market.Instant `json:"created_at"`
	EndsAt    market.Instant `json:"ends_at"`
}

func (h *Handler) invitations(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	all, err := h.cfg.Accounts.Invitations(r.Context(), in)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, listOf(all, func(i *accounts.Invitation) invitationRecord {
		return invitationRecord{i.ID, i.Address, i.Role, i.CreatedAt, i.EndsAt}
	}))
	return nil
}

// made is the answer of what made something that has an id.
type made struct {
	ID string `json:"id"`
}

func (h *Handler) invite(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	address, role := f.text("email"), f.role()
	_, _, bad := credentials.ParseAddress(address)
	f.check("email", bad)
	if err := f.err(); err != nil {
		return err
	}
	id, err := h.cfg.Accounts.Invite(r.Context(), in, address, role, h.From(r))
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusAccepted, made{id})
	return nil
}

func (h *Handler) uninvite(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	return wire.Done(w, h.cfg.Accounts.Uninvite(r.Context(), in, r.PathValue("id"), h.From(r)))
}

func (h *Handler) accept(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	token := f.text("token")
	if err := f.err(); err != nil {
		return err
	}
	out, err := h.cfg.Accounts.Accept(r.Context(), in, token, h.From(r))
	if err != nil {
		return err
	}
	h.give(w, r, &out)
	return h.tellAccount(w, r, &out.Session)
}

type keyRecord struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Plan       string          `json:"plan"`
	MadeBy     *string         `json:"made_by"`
	CreatedAt  market.Instant  `json:"created_at"`
	ExpiresAt  *market.Instant `json:"expires_at"`
	LastUsedAt *market.Instant `json:"last_used_at"`
	RevokedAt  *market.Instant `json:"revoked_at"`
	State      string          `json:"state"`
}

func (h *Handler) now() market.Instant { return market.InstantOf(h.cfg.Now()) }

func (h *Handler) keyOf(k *accounts.Key) keyRecord {
	out := keyRecord{
		ID: k.ID, Name: k.Name, Plan: k.Plan, CreatedAt: k.CreatedAt,
		ExpiresAt: someTime(k.ExpiresAt), LastUsedAt: someTime(k.LastUsed), RevokedAt: someTime(k.RevokedAt), State: "live",
	}
	if k.MadeBy != "" {
		out.MadeBy = &k.MadeBy
	}
	switch {
	case k.RevokedAt != 0:
		out.State = "revoked"
	case !k.Live(h.now()):
		out.State = "expired"
	}
	return out
}

func (h *Handler) keys(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	all, err := h.cfg.Accounts.Keys(r.Context(), in)
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusOK, struct {
		list[keyRecord]
		Most int `json:"most"`
	}{listOf(all, h.keyOf), accounts.MostKeys})
	return nil
}

func (h *Handler) makeKey(w http.ResponseWriter, r *http.Request, in *accounts.Session, f *form) error {
	name, bad := accounts.CheckName(f.text("name"))
	f.check("name", bad)
	expires := f.time("expires_at", h.now())
	if err := f.err(); err != nil {
		return err
	}
	k, secret, err := h.cfg.Accounts.MakeKey(r.Context(), in, name, expires, h.From(r))
	if err != nil {
		return err
	}
	wire.WriteJSON(w, http.StatusCreated, struct {
		Key string `json:"key"`
		keyRecord
	}{secret, h.keyOf(&k)})
	return nil
}

func (h *Handler) revokeKey(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	defer h.auth.Keys.Forget()
	return wire.Done(w, h.cfg.Accounts.RevokeKey(r.Context(), in, r.PathValue("id"), h.From(r)))
}

type used struct {
	Used int64 `json:"used"`
}

type keyUsage struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Minute used   `json:"minute"`
	Day    used   `json:"day"`
	Bulk   used   `json:"bulk"`
}

type usageLimits struct {
	RequestsPerMinute *int64 `json:"requests_per_minute"`
	RequestsPerDay    *int64 `json:"requests_per_day"`
	BulkPointsPerDay  *int64 `json:"bulk_points_per_day"`
	HistoryDays       *int64 `json:"history_days"`
}

type usageDay struct {
	Key        string           `json:"key"`
	Day        string           `json:"day"`
	Requests   int64            `json:"requests"`
	Refusals   map[string]int64 `json:"refusals"`
	BulkPoints int64            `json:"bulk_points"`
	Backtests  int64            `json:"backtests"`
}

type usageRecord struct {
	Plan     string      `json:"plan"`
	Limits   usageLimits `json:"limits"`
	Earliest *string     `json:"earliest"`
	Keys     []keyUsage  `json:"keys"`
	Days     []usageDay  `json:"days"`
}

// bound is a limit of a plan; null: there is none.
func bound(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func (h *Handler) usage(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	p, err := h.plan(in)
	if err != nil {
		return err
	}
	keys, days, err := h.cfg.Accounts.Usage(r.Context(), in)
	if err != nil {
		return err
	}
	out := usageRecord{Plan: p.ID(), Limits: usageLimits{
		bound(int64(p.RequestsPerMinute)), bound(int64(p.RequestsPerDay)), bound(p.BulkPointsPerDay), bound(int64(p.HistoryDays)),
	}}
	if h.cfg.Watermark != nil {
		watermark, err := h.cfg.Watermark(r.Context())
		if err != nil {
			return err
		}
		if at := accounts.Earliest(&p, watermark); at != 0 {
			day := at.Time().Format(time.DateOnly)
			out.Earliest = &day
		}
	}
	out.Keys = listOf(keys, func(k *accounts.KeyUsage) keyUsage {
		return keyUsage{k.ID, k.Name, used{int64(k.InMinute)}, used{int64(k.InDay)}, used{k.Bulk}}
	}).Data
	out.Days = listOf(days, func(d *identity.DailyUsage) usageDay {
		return usageDay{d.Key, (market.Instant(d.Day) * market.Day).Time().Format(time.DateOnly), d.Requests, d.Refusals, d.Bulk, d.Backtests}
	}).Data
	wire.WriteJSON(w, http.StatusOK, out)
	return nil
}

type auditRecord struct {
	ID      string         `json:"id"`
	At      market.Instant `json:"at"`
	Who     *string        `json:"who"`
	Action  string         `json:"action"`
	What    string         `json:"what"`
	Network string         `json:"network"`
}

func auditOf(e *accounts.Entry) auditRecord {
	out := auditRecord{ID: e.ID, At: e.At, Action: e.Action, What: e.What, Network: e.Network}
	if e.Who != "" {
		out.Who = &e.Who
	}
	return out
}

func (h *Handler) audit(w http.ResponseWriter, r *http.Request, in *accounts.Session) error {
	all, next, err := h.cfg.Accounts.Audit(r.Context(), in, r.URL.Query().Get("before"))
	if err != nil {
		return err
	}
	out := struct {
		list[auditRecord]
		Next *string `json:"next"`
	}{list: listOf(all, auditOf)}
	if next != "" {
		out.Next = &next
	}
	wire.WriteJSON(w, http.StatusOK, out)
	return nil
}
