package api

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/ladderback/ladderback/api/history"
	workbench "github.com/ladderback/ladderback/api/page"
	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/report/preview"
	"github.com/ladderback/ladderback/report/words"
	"github.com/ladderback/ladderback/runs"
)

// aroundTrade is how much of a book a link shows before the signal of a trade and
// after its end.
const aroundTrade = 10 * market.Second

// sharedBody reads the result behind a link, for an answer that nobody keeps.
func sharedBody(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) (*backtest.Body, error) {
	run, _, err := d.Shared(r.Context(), pathParam(r, "token"))
	if err != nil {
		return nil, err
	}
	w.Header().Set("X-Robots-Tag", "noindex")
	w.Header().Set("Referrer-Policy", "no-referrer")
	return resultOf(r.Context(), d, run.Organization, run.ID)
}

// about says what a preview of a link to a run shows; nil for any other address, and
// for a link that leads nowhere.
func (s *Server) about(r *http.Request, address string) *workbench.About {
	if address != workbench.Shared || s.cfg.Scheduler == nil {
		return nil
	}
	run, result, err := s.cfg.Scheduler.Shared(r.Context(), pathParam(r, "token"))
	if err != nil {
		return nil
	}
	said := words.Read(result, run.Tally)
	if said == nil {
		return nil
	}
	return &workbench.About{Title: said.Verdict + ": " + run.Spec.Body.Prompt, Text: said.Headline, Picture: workbench.PictureAt(s.cfg.People.Origin(), r)}
}

// sharedPreview answers GET /r/{token}/preview.png: the picture of a preview.
func (s *Server) sharedPreview(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.Scheduler == nil {
		return noRoute(r)
	}
	body, err := sharedBody(w, r, s.cfg.Scheduler)
	if err != nil {
		return err
	}
	said := words.Say(body)
	var out bytes.Buffer
	if err := preview.Write(&out, body, &said); err != nil {
		return err
	}
	workbench.Picture(w, out.Bytes())
	return nil
}

// sharedTrade answers GET /v1/shared/{token}/trades/{n}.
func (s *Server) sharedTrade(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	body, err := sharedBody(w, r, d)
	if err != nil {
		return err
	}
	return s.explain(w, r, body)
}

// explain works the trade of the path through.
func (s *Server) explain(w http.ResponseWriter, r *http.Request, body *backtest.Body) error {
	x, err := backtest.Explain(r.Context(), s.catalogue.of(r.Context()).rounds, body, pathParam(r, "n"))
	switch {
	case errors.Is(err, backtest.ErrNoTrade):
		return wire.NotFound("trade", pathParam(r, "n"))
	case err != nil:
		return err
	}
	wire.WriteJSON(w, http.StatusOK, x)
	return nil
}

// sharedBooks answers GET /v1/shared/{token}/trades/{n}/books: a link shows the book
// around its trades, and nothing else of the archive.
func (s *Server) sharedBooks(w http.ResponseWriter, r *http.Request, d *runs.Scheduler) error {
	body, err := sharedBody(w, r, d)
	if err != nil {
		return err
	}
	t, err := body.Report.TradeNamed(pathParam(r, "n"))
	if err != nil {
		return wire.NotFound("trade", pathParam(r, "n"))
	}
	first := t.EntryTime
	for _, leg := range t.Legs {
		if leg.Signal != nil {
			first = min(first, *leg.Signal)
		}
	}
	return s.history.AnswerBetween(w, r, history.TokenBooks, t.TokenID, first-aroundTrade, t.ExitTime+aroundTrade)
}
