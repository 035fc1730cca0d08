//go:build !unix

package bench

import "time"

var begun = time.Now()

// processorTime returns the time since the start, where a system does not say what
// a process has used.
func processorTime() time.Duration { return time.Since(begun) }
