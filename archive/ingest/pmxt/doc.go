// Package pmxt reads the hourly Parquet files of the PMXT archive of the
// exchange's order books, in both of its versions
// (https://archive.pmxt.dev/docs/v2-data-overview).
package pmxt
