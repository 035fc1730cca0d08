// Package export writes what an archive holds to files for other programs:
// Parquet, CSV and JSON lines.
//
// A file is complete or absent: it is written under another name, which begins
// with a dot, and renamed. Rows stand in order of slug and, within a market, of
// time; row groups end where a market does. Prices, sizes and amounts are
// floating-point numbers, each the one nearest to the exact decimal, from which
// the decimal can be had again: package ingest reads the tables of captures and
// of markets back into the same archive.
package export
