package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	critest "k8s.io/cri-api/pkg/apis/testing"
)

// image is one row of the image catalogue: what a reference runs on this machine.
type image struct {
	Entrypoint []string          `json:"entrypoint"`
	WorkingDir string            `json:"workingDir"`
	User       int64             `json:"user"`
	Env        map[string]string `json:"env"`
	// Of an image that is unpacked on this machine: its root file system, and the arguments of its own.
	Rootfs string   `json:"rootfs"`
	Cmd    []string `json:"cmd"`
}

// processRuntime is a container runtime for the kubelet whose containers are
// plain child processes. Methods it does not define come from the kubelet's own fake.
type processRuntime struct {
	*critest.FakeRuntimeService
	images     map[string]image
	isolation  *isolation
	mu         sync.Mutex
	next       int
	sandboxes  map[string]*sandbox
	containers map[string]*container
}

type sandbox struct {
	id      string
	config  *cri.PodSandboxConfig
	created int64
	state   cri.PodSandboxState
	ip      string
}

type container struct {
	id, sandbox, logPath       string
	config                     *cri.ContainerConfig
	state                      cri.ContainerState
	created, started, finished int64
	exitCode                   int32
	reason, message            string
	process                    *os.Process
	done                       chan struct{}
}

func newProcessRuntime(images map[string]image, isolation *isolation) *processRuntime {
	fake := critest.NewFakeRuntimeService()
	ready := func(name string) *cri.RuntimeCondition { return &cri.RuntimeCondition{Type: name, Status: true} }
	fake.FakeStatus = &cri.RuntimeStatus{Conditions: []*cri.RuntimeCondition{ready(cri.RuntimeReady), ready(cri.NetworkReady)}}
	return &processRuntime{FakeRuntimeService: fake, images: images, isolation: isolation, sandboxes: map[string]*sandbox{}, containers: map[string]*container{}}
}

func (r *processRuntime) newID() string {
	r.next++
	return fmt.Sprintf("%d-%d", os.Getpid(), r.next)
}

func (r *processRuntime) RunPodSandbox(_ context.Context, config *cri.PodSandboxConfig, _ string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &sandbox{id: r.newID(), config: config, created: time.Now().UnixNano(), state: cri.PodSandboxState_SANDBOX_READY, ip: "127.0.0.1"}
	if r.isolation != nil {
		ip, err := r.isolation.addPod(s.id)
		if err != nil {
			return "", err
		}
		s.ip = ip
	}
	r.sandboxes[s.id] = s
	return s.id, os.MkdirAll(config.LogDirectory, 0o755)
}

func (r *processRuntime) StopPodSandbox(ctx context.Context, id string) error {
	r.mu.Lock()
	var inside []string
	for _, c := range r.containers {
		if c.sandbox == id {
			inside = append(inside, c.id)
		}
	}
	if s := r.sandboxes[id]; s != nil {
		s.state = cri.PodSandboxState_SANDBOX_NOTREADY
	}
	r.mu.Unlock()
	for _, c := range inside {
		_ = r.StopContainer(ctx, c, 0)
	}
	return nil
}

func (r *processRuntime) RemovePodSandbox(ctx context.Context, id string) error {
	_ = r.StopPodSandbox(ctx, id)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.containers {
		if c.sandbox == id {
			delete(r.containers, c.id)
		}
	}
	delete(r.sandboxes, id)
	if r.isolation != nil {
		r.isolation.removePod(id)
	}
	return nil
}

func (r *processRuntime) PodSandboxStatus(_ context.Context, id string, _ bool) (*cri.PodSandboxStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sandboxes[id]
	if s == nil {
		return nil, status.Error(codes.NotFound, "sandbox "+id)
	}
	return &cri.PodSandboxStatusResponse{Status: &cri.PodSandboxStatus{
		Id: id, Metadata: s.config.Metadata, State: s.state, CreatedAt: s.created, Labels: s.config.Labels, Annotations: s.config.Annotations,
		Network: &cri.PodSandboxNetworkStatus{Ip: s.ip},
		Linux:   &cri.LinuxPodSandboxStatus{Namespaces: &cri.Namespace{Options: s.config.GetLinux().GetSecurityContext().GetNamespaceOptions()}},
	}}, nil
}

func (r *processRuntime) ListPodSandbox(_ context.Context, f *cri.PodSandboxFilter) (out []*cri.PodSandbox, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sandboxes {
		if f != nil && (f.Id != "" && f.Id != s.id || f.State != nil && f.State.State != s.state || !matches(f.LabelSelector, s.config.Labels)) {
			continue
		}
		out = append(out, &cri.PodSandbox{Id: s.id, Metadata: s.config.Metadata, State: s.state, CreatedAt: s.created, Labels: s.config.Labels, Annotations: s.config.Annotations})
	}
	return out, nil
}

func (r *processRuntime) CreateContainer(_ context.Context, sandboxID string, config *cri.ContainerConfig, pod *cri.PodSandboxConfig) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &container{id: r.newID(), sandbox: sandboxID, config: config, created: time.Now().UnixNano(), state: cri.ContainerState_CONTAINER_CREATED,
		logPath: filepath.Join(pod.LogDirectory, config.LogPath), done: make(chan struct{})}
	r.containers[c.id] = c
	return c.id, nil
}

func (r *processRuntime) image(config *cri.ContainerConfig) image {
	img := r.images[config.Image.UserSpecifiedImage]
	if img.Entrypoint == nil {
		img = r.images[config.Image.Image]
	}
	return img
}

func (r *processRuntime) isIsolated(c *container) bool {
	return r.isolation != nil && r.image(c.config).Rootfs != ""
}

func (r *processRuntime) command(config *cri.ContainerConfig) *exec.Cmd {
	img := r.image(config)
	argv := config.Command
	if len(argv) == 0 {
		argv = img.Entrypoint
	}
	argv = append(append([]string{}, argv...), config.Args...)
	env := []string{"PATH=" + os.Getenv("PATH")}
	for k, v := range img.Env {
		env = append(env, k+"="+v)
	}
	for _, kv := range config.Envs {
		env = append(env, kv.Key+"="+string(kv.Value))
	}
	if tmp := hostPathOfTmp(config); tmp != "" { // the process sees the machine's files: point it at its emptyDir
		env = append(env, "TMPDIR="+tmp)
	}
	cmd := &exec.Cmd{Path: "/nonexistent", Args: argv, Env: env, Dir: config.WorkingDir, SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	if cmd.Dir == "" {
		cmd.Dir = img.WorkingDir
	}
	if len(argv) > 0 {
		cmd.Path = argv[0]
		if path, err := exec.LookPath(argv[0]); err == nil {
			cmd.Path = path
		}
	}
	return cmd
}

func hostPathOfTmp(config *cri.ContainerConfig) string {
	for _, m := range config.Mounts {
		if m.ContainerPath == "/tmp" {
			return m.HostPath
		}
	}
	return ""
}

func (r *processRuntime) StartContainer(_ context.Context, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[id]
	if c == nil {
		return status.Error(codes.NotFound, "container "+id)
	}
	if err := os.MkdirAll(filepath.Dir(c.logPath), 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(c.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	cmd := r.command(c.config)
	isolated := r.isIsolated(c)
	if isolated {
		if cmd, err = r.isolation.prepare(c, r.sandboxes[c.sandbox], r.image(c.config)); err != nil {
			return err
		}
	}
	var logs sync.WaitGroup
	var writing sync.Mutex
	stream := func(name string) *os.File {
		in, out, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		logs.Add(1)
		go func() {
			defer logs.Done()
			defer in.Close()
			copyLog(log, &writing, in, name)
		}()
		return out
	}
	stdout, stderr := stream("stdout"), stream("stderr")
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ended := make(chan struct{})
	started := make(chan error)
	go func() {
		defer close(ended)
		run(cmd, !isolated && c.config.GetLinux().GetSecurityContext().GetReadonlyRootfs(), hostPathOfTmp(c.config), func(err error) { started <- err })
	}()
	err = <-started
	stdout.Close()
	stderr.Close()
	if err != nil {
		c.state, c.exitCode, c.finished = cri.ContainerState_CONTAINER_EXITED, 128, time.Now().UnixNano()
		c.reason, c.message = "StartError", err.Error()
		close(c.done)
		return err
	}
	c.process, c.state, c.started = cmd.Process, cri.ContainerState_CONTAINER_RUNNING, time.Now().UnixNano()
	oom := &atomic.Bool{}
	if !isolated {
		oom = watchMemory(cmd.Process.Pid, c.config.GetLinux().GetResources().GetMemoryLimitInBytes(), c.done)
	}
	go func() {
		<-ended
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the container's other processes
		if isolated {
			oom.Store(r.isolation.wasOutOfMemory(c.id))
			r.isolation.remove(c.id)
		}
		logs.Wait()
		log.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
		c.exitCode, c.reason = int32(ws.ExitStatus()), "Error"
		if ws.Signaled() {
			c.exitCode = 128 + int32(ws.Signal())
		}
		if c.exitCode == 0 {
			c.reason = "Completed"
		}
		if oom.Load() {
			c.reason = "OOMKilled"
		}
		c.state, c.finished = cri.ContainerState_CONTAINER_EXITED, time.Now().UnixNano()
		close(c.done)
	}()
	return nil
}

// run starts a container's process, calls started, and returns when the process has ended.
func run(cmd *exec.Cmd, isReadOnly bool, writable string, started func(error)) {
	if isReadOnly {
		runReadOnly(cmd, writable, started)
		return
	}
	err := cmd.Start()
	started(err)
	if err == nil {
		_ = cmd.Wait()
	}
}

// copyLog writes the kubelet's log format: time, stream, F(ull) or P(artial), text.
func copyLog(w io.Writer, mu *sync.Mutex, in io.Reader, stream string) {
	reader := bufio.NewReaderSize(in, 16<<10)
	for {
		line, partial, err := reader.ReadLine()
		if err != nil {
			return
		}
		tag := "F"
		if partial {
			tag = "P"
		}
		mu.Lock()
		fmt.Fprintf(w, "%s %s %s %s\n", time.Now().UTC().Format(time.RFC3339Nano), stream, tag, line)
		mu.Unlock()
	}
}

func (r *processRuntime) StopContainer(_ context.Context, id string, timeout int64) error {
	r.mu.Lock()
	c := r.containers[id]
	if c == nil || c.process == nil {
		if c != nil && c.state == cri.ContainerState_CONTAINER_CREATED {
			c.state, c.finished = cri.ContainerState_CONTAINER_EXITED, time.Now().UnixNano()
			close(c.done)
		}
		r.mu.Unlock()
		return nil
	}
	r.mu.Unlock()
	if timeout > 0 {
		_ = syscall.Kill(-c.process.Pid, syscall.SIGTERM)
		select {
		case <-c.done:
			return nil
		case <-time.After(time.Duration(timeout) * time.Second):
		}
	}
	select {
	case <-c.done:
	default:
		if r.isIsolated(c) {
			r.isolation.kill(c.id)
		}
		_ = syscall.Kill(-c.process.Pid, syscall.SIGKILL)
		<-c.done
	}
	return nil
}

func (r *processRuntime) RemoveContainer(ctx context.Context, id string) error {
	_ = r.StopContainer(ctx, id, 0)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.containers[id]; c != nil {
		_ = os.Remove(c.logPath)
		delete(r.containers, id)
	}
	return nil
}

func (r *processRuntime) ListContainers(_ context.Context, f *cri.ContainerFilter) (out []*cri.Container, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.containers {
		if f != nil && (f.Id != "" && f.Id != c.id || f.PodSandboxId != "" && f.PodSandboxId != c.sandbox ||
			f.State != nil && f.State.State != c.state || !matches(f.LabelSelector, c.config.Labels)) {
			continue
		}
		out = append(out, &cri.Container{Id: c.id, PodSandboxId: c.sandbox, Metadata: c.config.Metadata, Image: c.config.Image, ImageRef: c.config.Image.Image,
			ImageId: c.config.Image.Image, State: c.state, CreatedAt: c.created, Labels: c.config.Labels, Annotations: c.config.Annotations})
	}
	return out, nil
}

func (r *processRuntime) ContainerStatus(_ context.Context, id string, _ bool) (*cri.ContainerStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[id]
	if c == nil {
		return nil, status.Error(codes.NotFound, "container "+id)
	}
	return &cri.ContainerStatusResponse{Status: &cri.ContainerStatus{Id: c.id, Metadata: c.config.Metadata, State: c.state, CreatedAt: c.created, StartedAt: c.started,
		FinishedAt: c.finished, ExitCode: c.exitCode, Reason: c.reason, Message: c.message, Image: c.config.Image, ImageRef: c.config.Image.Image, ImageId: c.config.Image.Image,
		Labels: c.config.Labels, Annotations: c.config.Annotations, Mounts: c.config.Mounts, LogPath: c.logPath}}, nil
}

// ExecSync serves exec probes.
func (r *processRuntime) ExecSync(ctx context.Context, id string, argv []string, timeout time.Duration) ([]byte, []byte, error) {
	r.mu.Lock()
	c := r.containers[id]
	r.mu.Unlock()
	if c == nil {
		return nil, nil, status.Error(codes.NotFound, "container "+id)
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	base := r.command(c.config)
	if r.isIsolated(c) {
		argv = r.isolation.runc(append([]string{"exec", "kt-" + c.id}, argv...)...)
		base.Env, base.Dir = nil, ""
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = base.Env, base.Dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return stdout.Bytes(), stderr.Bytes(), err
}

func matches(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return true
}
