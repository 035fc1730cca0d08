// Package rows reads tables that others wrote, Parquet and CSV, a row at a time.
// Columns are found by name and checked by type, cells become prices, sizes and
// instants exactly, and memory stays bounded whatever a file says of itself.
package rows
