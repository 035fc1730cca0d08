//go:build unix

package sqlite_test

import (
	"os"
	"os/exec"
	"syscall"
)

// asUser makes a command of root's run as nobody.
func asUser(cmd *exec.Cmd) {
	const nobody = 65534
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}
