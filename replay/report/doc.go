// Package report turns what a replay found into what a trader reads: the
// report object of the API with statistics, intervals, a verdict, a baseline,
// warnings and a receipt; and its forms as JSON, CSV, a table for the terminal
// and one self-contained HTML page. It also works a single trade through
// (Explain) and lays two reports side by side (Compare).
//
// Every number of a report is exact until it is rounded once, half even, to six
// decimals: money and sizes are integers, means and deviations are fractions of
// integers. No float64 takes part in anything but pictures. The same trades and
// seed give the same bytes on every machine.
package report
