// Package ingest imports files into an archive: captures and market metadata,
// in the formats of the packages below it.
//
// Formats are recognised by content. Files are read in parallel, each in
// bounded memory; whatever cannot be imported is counted by reason and never
// stops an import. A file is identified by the SHA-256 of its bytes; one that
// has already been imported is skipped.
package ingest
