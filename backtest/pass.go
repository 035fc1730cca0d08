package backtest

// Pass is one pass of a backtest over its rounds.
type Pass string

// Passes of a backtest, in order.
const (
	PassStrategy Pass = "strategy"
	PassBaseline Pass = "baseline"
)
