// Package exported reads the tables that package export writes, as Parquet or CSV:
// captures, with books as lists or one level per row, and what is known of markets,
// tokens, payouts, gaps, events and series. What is read back is what was exported:
// captures keep their order, ids that no source gave are left open again, and
// outcomes keep their basis.
package exported
