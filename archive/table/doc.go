// Package table is how prices, books, quotes, metrics, trades and what is known about
// markets leave the archive as rows: their columns, and what writes them as CSV, JSON lines
// and Parquet, and points of JSON pages.
//
// Rows about one market come out of NewRows (bulk answers, the command history), files of
// many markets out of NewWriter (exports). Numbers are the exact decimals, in Parquet those
// nearest to them; null or nothing stands where nothing is known.
package table
