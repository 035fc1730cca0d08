//go:build unix

package pack

import (
	"errors"
	"syscall"
)

// isFull reports whether err is for want of space.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
