package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// defaultMounts are those of every container.
var defaultMounts = []specs.Mount{
	{Destination: "/proc", Type: "proc", Source: "proc", Options: []string{"nosuid", "noexec", "nodev"}},
	{Destination: "/dev", Type: "tmpfs", Source: "tmpfs", Options: []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
	{Destination: "/dev/shm", Type: "tmpfs", Source: "shm", Options: []string{"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}},
	{Destination: "/sys", Type: "sysfs", Source: "sysfs", Options: []string{"nosuid", "noexec", "nodev", "ro"}},
	{Destination: "/sys/fs/cgroup", Type: "cgroup", Source: "cgroup", Options: []string{"nosuid", "noexec", "nodev", "relatime", "ro"}},
}

// prepare writes the bundle of a container, and returns the command that runs it.
func (i *isolation) prepare(c *container, s *sandbox, img image) (*exec.Cmd, error) {
	bundle := i.bundle(c.id)
	for _, d := range []string{"rootfs", "upper", "work"} {
		if err := os.MkdirAll(filepath.Join(bundle, d), 0o755); err != nil {
			return nil, err
		}
	}
	root := filepath.Join(bundle, "rootfs")
	layers := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/work", img.Rootfs, bundle, bundle)
	if err := syscall.Mount("overlay", root, "overlay", 0, layers); err != nil {
		return nil, fmt.Errorf("overlay: %w", err)
	}
	spec, err := i.spec(c, s, img)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(bundle, "config.json"), data, 0o600); err != nil {
		return nil, err
	}
	// Kept after its end, so that its cgroup says whether it ran out of memory.
	line := i.runc("run", "--keep", "--bundle", bundle, "kt-"+c.id)
	run := exec.Command(line[0], line[1:]...)
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return run, nil
}

// spec is what the kubelet asks for, in the words of runc.
func (i *isolation) spec(c *container, s *sandbox, img image) (*specs.Spec, error) {
	security := c.config.GetLinux().GetSecurityContext()
	mounts, err := i.mounts(c, s)
	if err != nil {
		return nil, err
	}
	spec := &specs.Spec{
		Version: specs.Version, Hostname: s.config.Hostname, Mounts: mounts,
		Root: &specs.Root{Path: filepath.Join(i.bundle(c.id), "rootfs"), Readonly: security.GetReadonlyRootfs()},
		Process: &specs.Process{
			Args: argumentsOf(c.config, img), Env: environmentOf(c.config, img), Cwd: c.config.WorkingDir, User: userOf(security, img),
			NoNewPrivileges: security.GetNoNewPrivs(), Capabilities: &specs.LinuxCapabilities{},
		},
		Linux: &specs.Linux{
			CgroupsPath: i.cgroup() + "/" + c.id, Resources: resourcesOf(c.config.GetLinux().GetResources()),
			MaskedPaths: security.GetMaskedPaths(), ReadonlyPaths: security.GetReadonlyPaths(),
			Namespaces: []specs.LinuxNamespace{{Type: specs.PIDNamespace}, {Type: specs.MountNamespace}, {Type: specs.IPCNamespace}, {Type: specs.UTSNamespace},
				{Type: specs.NetworkNamespace, Path: "/run/netns/kt-" + s.id}},
		},
	}
	if spec.Process.Cwd == "" {
		spec.Process.Cwd = img.WorkingDir
	}
	if security.GetSeccomp().GetProfileType() == cri.SecurityProfile_RuntimeDefault {
		spec.Linux.Seccomp, err = seccomp.GetDefaultProfile(spec)
	}
	return spec, err
}

func argumentsOf(config *cri.ContainerConfig, img image) []string {
	command, args := config.Command, config.Args
	if len(command) == 0 {
		command = img.Entrypoint
		if len(args) == 0 {
			args = img.Cmd
		}
	}
	return append(append([]string{}, command...), args...)
}

func environmentOf(config *cri.ContainerConfig, img image) (env []string) {
	for k, v := range img.Env {
		env = append(env, k+"="+v)
	}
	for _, kv := range config.Envs {
		env = append(env, kv.Key+"="+string(kv.Value))
	}
	return env
}

func userOf(security *cri.LinuxContainerSecurityContext, img image) specs.User {
	user := specs.User{UID: uint32(img.User), GID: uint32(img.User)}
	if id := security.GetRunAsUser(); id != nil {
		user.UID = uint32(id.Value)
	}
	if id := security.GetRunAsGroup(); id != nil {
		user.GID = uint32(id.Value)
	}
	for _, id := range security.GetSupplementalGroups() {
		user.AdditionalGids = append(user.AdditionalGids, uint32(id))
	}
	return user
}

func resourcesOf(asked *cri.LinuxContainerResources) *specs.LinuxResources {
	resources := &specs.LinuxResources{}
	if limit := asked.GetMemoryLimitInBytes(); limit > 0 {
		resources.Memory = &specs.LinuxMemory{Limit: &limit, Swap: &limit}
	}
	if quota, period := asked.GetCpuQuota(), uint64(asked.GetCpuPeriod()); quota > 0 {
		resources.CPU = &specs.LinuxCPU{Quota: &quota, Period: &period}
	}
	return resources
}

// mounts are those of the pod, and the file that names the cluster's DNS.
func (i *isolation) mounts(c *container, s *sandbox) ([]specs.Mount, error) {
	mounts := append([]specs.Mount{}, defaultMounts...)
	for _, m := range c.config.Mounts {
		mode := "rw"
		if m.Readonly {
			mode = "ro"
		}
		mounts = append(mounts, specs.Mount{Destination: m.ContainerPath, Type: "bind", Source: m.HostPath, Options: []string{"rbind", "rprivate", mode}})
	}
	dns := s.config.GetDnsConfig()
	text := strings.Builder{}
	for _, server := range dns.GetServers() {
		fmt.Fprintf(&text, "nameserver %s\n", server)
	}
	if searches := dns.GetSearches(); len(searches) > 0 {
		fmt.Fprintf(&text, "search %s\n", strings.Join(searches, " "))
	}
	if options := dns.GetOptions(); len(options) > 0 {
		fmt.Fprintf(&text, "options %s\n", strings.Join(options, " "))
	}
	file := filepath.Join(i.bundle(c.id), "resolv.conf")
	mounts = append(mounts, specs.Mount{Destination: "/etc/resolv.conf", Type: "bind", Source: file, Options: []string{"rbind", "rprivate", "ro"}})
	return mounts, os.WriteFile(file, []byte(text.String()), 0o644)
}
