// Package intake brings captures and metadata into an archive. An Import takes
// what one file holds: it cuts captures into blocks and commits them together
// with what the file says about its markets, in transactions of a few megabytes.
// It can be interrupted at any time: importing the same file again completes it.
package intake
