// Package intake brings captures and metadata into an archive. An Import takes
// one file, a Feed what is being recorded; both cut captures into blocks, commit
// them together with what they say about markets, and can be interrupted at any
// time: importing the same file again completes the first attempt.
package intake
