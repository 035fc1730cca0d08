// Package backtest is what a person runs: a strategy over a sample, with a
// baseline and a sensitivity analysis, made into a report of facts with
// statistics, a verdict, warnings and a receipt. It also explains a single trade
// (Explain) and compares two runs (Compare). The packages under report decide how
// any of it looks.
//
// Every number of a report is exact until it is rounded once, half even, to six
// decimals: money and sizes are integers, means and deviations are fractions of
// integers. The same trades and seed give the same bytes on every machine.
package backtest
