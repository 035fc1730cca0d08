// Package export writes the contents of an archive to files for other programs:
// Parquet, CSV and JSON lines.
//
// A file is complete or absent: it is written under a temporary name that begins
// with a dot, then renamed. Rows are ordered by slug and, within a market, by time;
// row groups end where a market does. Prices, sizes and amounts are floating-point
// numbers, each the nearest to the exact decimal, from which the decimal can be
// recovered: package ingest reads the tables of captures and of markets back into
// the same archive.
package export
