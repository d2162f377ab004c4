package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// supervisor runs the cluster's components, each of them this binary under another name, and reports when one ends by itself.
type supervisor struct {
	dir     string
	running []*component
	failed  chan error
}

type component struct {
	name     string
	cmd      *exec.Cmd
	exited   chan struct{}
	expected atomic.Bool
}

func (s *supervisor) start(name string, args ...string) {
	log, err := os.OpenFile(filepath.Join(s.dir, "log", name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.failed <- err
		return
	}
	self, _ := os.Executable()
	cmd := exec.Command(self, append([]string{name}, args...)...)
	process := &component{name: name, cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		s.failed <- err
		return
	}
	go func() {
		err := cmd.Wait()
		close(process.exited)
		if !process.expected.Load() {
			s.failed <- fmt.Errorf("%s ended (%v); see %s", name, err, log.Name())
		}
	}()
	s.running = append(s.running, process)
}

func (s *supervisor) kill(name string) {
	for i, c := range s.running {
		if c.name == name {
			c.end(syscall.SIGKILL)
			s.running = append(s.running[:i], s.running[i+1:]...)
			return
		}
	}
}

func (s *supervisor) stop() {
	for i := len(s.running) - 1; i >= 0; i-- { // the node first, etcd last
		signal := syscall.SIGTERM
		if c := s.running[i]; c.name == "node" || c.name == "apiserver" { // no drain: nothing is kept
			signal = syscall.SIGKILL
		}
		s.running[i].end(signal)
	}
}

func (c *component) end(signal syscall.Signal) {
	c.expected.Store(true)
	_ = c.cmd.Process.Signal(signal)
	select {
	case <-c.exited:
	case <-time.After(3 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
}

func (s *supervisor) until(ctx context.Context, stop <-chan os.Signal, check func(context.Context) error) error {
	for {
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case err := <-s.failed:
			return err
		case <-stop:
			return fmt.Errorf("stopped")
		case <-ctx.Done():
			return fmt.Errorf("not ready in time: %w", last)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
