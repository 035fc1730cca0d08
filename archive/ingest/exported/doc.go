// Package exported reads the tables that package export writes, Parquet or CSV:
// captures, with books as lists or a level a row, and what is known of markets,
// tokens, payouts, gaps, events and series. What is read back is what was
// exported: captures in their order, ids that no source had given left open
// again, outcomes on the basis they had.
package exported
