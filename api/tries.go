package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/replay"
)

// holdOut returns the lockbox of the organization that asks, closed or opened; nil: there
// never was one.
func (s *Server) holdOut(ctx context.Context) (*replay.HoldOut, error) {
	if s.cfg.Tries == nil {
		return nil, nil
	}
	h := holderOf(ctx)
	lock, err := s.cfg.Tries.HoldOut(ctx, h.Key.Tenant())
	if err != nil {
		return nil, wire.Unavailable("the record of tries", err)
	}
	return lock, nil
}

// tries answers GET /v1/ai/tries.
func (s *Server) tries(w http.ResponseWriter, r *http.Request) error {
	p := wire.ParamsOf(r)
	coin, typ := strings.ToUpper(p.Text("coin", 20)), p.Text("market_type", 20)
	if (coin == "") != (typ == "") {
		p.Refuse(wire.BadRequest("coin and market_type: expected both, or neither"))
	}
	if err := p.Err(); err != nil {
		return err
	}
	if s.cfg.Tries == nil {
		return wire.Unavailable("the record of tries", errors.New("this server keeps none"))
	}
	record, err := s.cfg.Tries.Record(r.Context(), organization(r), coin, typ)
	if err != nil {
		return wire.Unavailable("the record of tries", err)
	}
	wire.WriteJSON(w, http.StatusOK, record)
	return nil
}
