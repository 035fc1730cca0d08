package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
)

func internal(ctx context.Context) *market.Error {
	return market.Errorf(market.CodeInternal, "internal error; request id %s", wire.LogOf(ctx).ID)
}

// internalOf is internal, with the market in which it happened.
func internalOf(ctx context.Context, err error) *market.Error {
	if m, ok := errors.AsType[*replay.MarketError](err); ok {
		return market.Errorf(market.CodeInternal, "internal error in market %s; request id %s", m.Market.Slug, wire.LogOf(ctx).ID)
	}
	return internal(ctx)
}

// fail answers with an error. One that no *market.Error tells of is a 500, which
// says nothing of the inside: the log has it under the request's id. A client that
// has gone makes no failure of ours: the request is logged as a 499.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if wire.ClientGone(r.Context()) && market.CodeOf(err).Status() >= http.StatusInternalServerError {
		w.WriteHeader(market.StatusClientGone)
		return
	}
	if items, ok := errors.AsType[wire.Details](err); ok {
		wire.LogOf(r.Context()).Code = market.CodeInvalid
		wire.WriteJSON(w, market.CodeInvalid.Status(), wire.ValidationBody{Detail: items, Message: items.Error()})
		return
	}
	e := s.told(r.Context(), err)
	wire.LogOf(r.Context()).Code = e.Code
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	if e.Code == market.CodeUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	wire.WriteJSON(w, e.Code.Status(), wire.EnvelopeOf(e))
}

// told turns err into what the caller may see, and logs what it may not.
func (s *Server) told(ctx context.Context, err error) *market.Error {
	e := market.AsError(err)
	switch {
	case e != nil && e.Code == market.CodeUnavailable && e.RetryAfter == 0: // of an archive
		e = &market.Error{Code: e.Code, Message: e.Message, Cause: err, RetryAfter: wire.RetryUnavailable}
	case e != nil && e.Code.Status() != http.StatusInternalServerError:
	case outOfReach(err):
		e = wire.Unavailable("the archive", err)
	default:
		s.log.LogAttrs(ctx, slog.LevelError, "internal error", slog.String("request_id", wire.LogOf(ctx).ID), slog.String("cause", err.Error()))
		return internalOf(ctx, err)
	}
	if e.Cause != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, e.Message, slog.String("request_id", wire.LogOf(ctx).ID), slog.String("cause", e.Cause.Error()))
	}
	return e
}
