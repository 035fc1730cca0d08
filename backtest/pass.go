package backtest

// Pass is one pass of a backtest over its rounds.
type Pass string

// Passes of a backtest, in order.
const (
	PassStrategy Pass = "strategy"
	PassBaseline Pass = "baseline"
)

// PassAt interprets the progress of Run under o: which pass it is in, and how many
// of that pass's rounds are done. done and total are those of replay.Parallel.
func (o *Options) PassAt(done, total int) (pass Pass, rounds, of int) {
	if !o.Baseline {
		return PassStrategy, done, total
	}
	of = total / 2
	if done < of || total == 0 {
		return PassStrategy, done, of
	}
	return PassBaseline, done - of, of
}
