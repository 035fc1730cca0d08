package api

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ladderback/ladderback/api/wire"
	"github.com/ladderback/ladderback/backtest"
	"github.com/ladderback/ladderback/identity"
	"github.com/ladderback/ladderback/market"
	"github.com/ladderback/ladderback/replay"
	"github.com/ladderback/ladderback/strategy"
)

// calibration answers GET /v1/ai/calibration.
func (s *Server) calibration(w http.ResponseWriter, r *http.Request) error {
	h := holderOf(r.Context())
	o, err := calibrationOptions(wire.ParamsOf(r), &h.Plan)
	if err != nil {
		return err
	}
	if o.HoldOut, err = s.holdOut(r.Context()); err != nil {
		return err
	}
	if err := wire.Unhurried(w, r); err != nil {
		return err
	}
	line, err := s.places.Line()
	if err != nil {
		return err
	}
	defer line()
	turn, err := s.places.Turn(r.Context())
	if err != nil {
		return err
	}
	defer turn()
	c, err := backtest.Calibrate(r.Context(), s.Rounds(r.Context()), o, replay.Parallel{Workers: s.cfg.RunWorkers})
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := c.WriteJSON(&text); err != nil {
		return err
	}
	if err := s.deadline(w); err != nil {
		return err
	}
	return wire.Send(r.Context(), w, wire.Identity, text.Bytes())
}

// calibrationOptions reads the query. Where it says nothing of how many rounds, it is as
// many as by default, or as the plan allows.
func calibrationOptions(p *wire.Params, plan *identity.Plan) (backtest.CalibrationOptions, error) {
	o := backtest.DefaultCalibrationOptions()
	most := plan.BacktestMarkets
	if most > 0 {
		o.Last = min(o.Last, most)
	}
	o.Coin, o.Type = strings.ToUpper(required(p, "coin")), required(p, "market_type")
	if coins := calibrationCoins(); o.Coin != "" && !slices.Contains(coins, o.Coin) {
		p.Fail("enum", "Input should be "+wire.OrList(coins), "query", "coin")
	}
	whole := func(name string, def, limit int) int {
		return p.Number(name, def, limit, func(string) {
			p.Fail("less_than_equal", "Input should be less than or equal to "+strconv.Itoa(limit), "query", name)
		})
	}
	o.Last = whole("last", o.Last, backtest.MaxCalibrated)
	o.Bands, o.Times = whole("bands", o.Bands, backtest.MaxCalibrationBands), whole("times", o.Times, backtest.MaxCalibrationBands)
	o.Winners = replay.Winners(p.Choice("winners", string(o.Winners), string(replay.WinnersOfficial), string(replay.WinnersInferred)))
	if at := p.Instant("from", false); at != 0 {
		o.From = &at
	}
	if at := p.Instant("to", false); at != 0 {
		o.To = &at
	}
	if err := p.Err(); err != nil {
		return o, err
	}
	if err := o.Validate(); err != nil {
		return o, err
	}
	if most > 0 && o.Last > most {
		return o, wire.Forbidden("calibration over %d markets: plan %s allows at most %d markets", o.Last, plan.Name, most)
	}
	return o, nil
}

// required returns a parameter that must be there.
func required(p *wire.Params, name string) string {
	v := p.Text(name, 20)
	if v == "" {
		p.Fail("missing", "Field required", "query", name)
	}
	return v
}

// calibrationCoins are the coins that can be asked for.
func calibrationCoins() []string {
	out := []string{strategy.Any}
	for _, c := range market.Coins() {
		out = append(out, c.Ticker)
	}
	return out
}
