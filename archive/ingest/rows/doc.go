// Package rows reads third-party Parquet and CSV tables row by row. Columns are
// found by name and checked by type, cells are converted to prices, sizes and
// instants exactly, and memory stays bounded whatever a file claims about
// itself.
package rows
