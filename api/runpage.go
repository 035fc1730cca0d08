package api

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/ladderback/ladderback/backtest"
	htmlpage "github.com/ladderback/ladderback/report/page"
	"github.com/ladderback/ladderback/runs"
)

// drawnTrades is how many trades of a run's page have a picture, as in the terminal.
const drawnTrades = 60

// writeRunPage answers with a run that is done as one page that needs nothing else.
func (s *Server) writeRunPage(w http.ResponseWriter, r *http.Request, d *runs.Scheduler, run *runs.Run) error {
	body, err := resultOf(r.Context(), d, run.Organization, run.ID)
	if err != nil {
		return err
	}
	body.Tally = run.Tally
	paths, err := backtest.Paths(r.Context(), s.catalogue.of(r.Context()).rounds, body.Report, body.Strategy.Market(), drawnTrades)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := htmlpage.Write(&out, body, paths, s.cfg.Version, ""); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(out.Len()))
	h.Set("Content-Disposition", `attachment; filename="`+run.ID+`.html"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(out.Bytes()) // the client has gone: nobody is left to tell
	return nil
}
