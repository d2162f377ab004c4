package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// watchMemory does the kernel's part of a memory limit: it kills a process group that exceeds its limit.
func watchMemory(pid int, limit int64, done <-chan struct{}) *atomic.Bool {
	var killed atomic.Bool
	if limit <= 0 {
		return &killed
	}
	go func() {
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				if resident(pid) > limit {
					killed.Store(true)
					_ = syscall.Kill(-pid, syscall.SIGKILL)
					return
				}
			}
		}
	}()
	return &killed
}

// resident is the memory of a process and its descendants in bytes.
func resident(pid int) (total int64) {
	statm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if f := strings.Fields(string(statm)); len(f) > 1 {
		pages, _ := strconv.ParseInt(f[1], 10, 64)
		total = pages * int64(os.Getpagesize())
	}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, child := range strings.Fields(string(children)) {
		if n, err := strconv.Atoi(child); err == nil {
			total += resident(n)
		}
	}
	return total
}
