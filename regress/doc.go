// Package regress runs suites of strategies and compares what they give with
// what was recorded, field by field, so that a change of the language, the
// engine, the fees or the data is seen before it is traded on.
//
// A suite is one YAML file that people write; a folder holds several. What its
// cases gave is recorded in a lock beside it, which nobody writes by hand.
// Prompts are read by the rules parser alone: nothing here needs a network or a
// clock, and the same suite over the same archive gives the same bytes on any
// machine with any number of workers.
package regress
