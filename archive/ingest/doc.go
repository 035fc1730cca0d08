// Package ingest brings files from outside into an archive: captures and
// metadata of markets, in the formats of the packages below it.
//
// Formats are recognised by content. Files are read in parallel, each in bounded
// memory; what cannot be taken is counted by reason and never stops an import.
// A file is known by the SHA-256 of its bytes: one that was imported before is
// left alone.
package ingest
