package main

import (
	"errors"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// runReadOnly runs a command that can write below writable and nowhere else, and calls started once it has started or failed
// to. It returns when the command has ended. Without the right to mount, the command runs as it is.
func runReadOnly(cmd *exec.Cmd, writable string, started func(error)) {
	// A new mount namespace belongs to this thread, and to what it starts. The thread must neither serve anything else, nor end
	// before its child: the child would be killed. Never unlocked, it ends with this function.
	runtime.LockOSThread()
	if err := makeReadOnly(writable); err != nil && !errors.Is(err, unix.EPERM) {
		started(err)
		return
	}
	err := cmd.Start()
	started(err)
	if err == nil {
		_ = cmd.Wait()
	}
}

func makeReadOnly(writable string) error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if writable != "" {
		if err := unix.Mount(writable, writable, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, readOnly); err != nil {
		return err
	}
	if writable == "" {
		return nil
	}
	return unix.MountSetattr(unix.AT_FDCWD, writable, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
}
