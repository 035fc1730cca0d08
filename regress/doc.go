// Package regress runs suites of strategies and compares their results with the
// recorded ones, field by field, so that a change in the language, the engine,
// the fees or the data is noticed before anyone trades on it.
//
// A suite is one handwritten YAML file; a folder holds several. Results are
// recorded in a generated lock file beside the suite.
// Prompts are read by the rules parser alone: nothing here needs a network or a
// clock, and the same suite over the same archive gives the same bytes on any
// machine with any number of workers.
package regress
