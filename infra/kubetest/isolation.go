package main

import (
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	podCIDR    = "10.244.0.0/16"
	podGateway = "10.244.0.1"
)

// isolation gives pods what a node gives them: a network of their own, and containers of their images' files, by runc.
type isolation struct {
	dir, bridge string
	addresses   int
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// open makes the bridge at which pods, DNS and API server meet. A cluster that was killed in this folder has left its cgroups.
func (i *isolation) open() error {
	i.removeCgroups()
	for _, args := range [][]string{
		{"link", "add", i.bridge, "type", "bridge"}, {"addr", "add", podGateway + "/16", "dev", i.bridge}, {"link", "set", i.bridge, "up"},
	} {
		if err := command("ip", args...); err != nil {
			return err
		}
	}
	for _, name := range []string{"/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/bridge/bridge-nf-call-iptables"} {
		if err := os.WriteFile(name, []byte("1"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// close ends what the node has left running: it is killed, and its containers have sessions of their own.
func (i *isolation) close() {
	left, _ := os.ReadDir(filepath.Join(i.dir, "runc"))
	for _, container := range left {
		i.remove(strings.TrimPrefix(container.Name(), "kt-"))
	}
	names, _ := filepath.Glob("/run/netns/kt-*")
	for _, name := range names {
		i.removePod(strings.TrimPrefix(filepath.Base(name), "kt-"))
	}
	_ = command("ip", "link", "del", i.bridge)
	i.removeCgroups()
}

// removeCgroups waits, because the kernel keeps the folder of a process for a moment.
func (i *isolation) removeCgroups() {
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var left []string
		for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/*"} {
			inner, _ := filepath.Glob(root + i.cgroup() + "/*-*")
			outer, _ := filepath.Glob(root + i.cgroup())
			left = append(append(left, inner...), outer...)
		}
		if len(left) == 0 {
			return
		}
		for _, folder := range left {
			_ = syscall.Rmdir(folder)
		}
	}
}

// addPod makes the network of a pod, and returns the pod's address.
func (i *isolation) addPod(id string) (string, error) {
	i.addresses++
	n := i.addresses + 1
	ip, veth, ns := fmt.Sprintf("10.244.%d.%d", n/250, n%250+2), fmt.Sprintf("kt%d", n), "kt-"+id
	for _, args := range [][]string{
		{"netns", "add", ns}, {"link", "add", veth, "type", "veth", "peer", "name", "eth0", "netns", ns},
		{"link", "set", veth, "master", i.bridge, "up"}, {"-n", ns, "addr", "add", ip + "/16", "dev", "eth0"},
		{"-n", ns, "link", "set", "lo", "up"}, {"-n", ns, "link", "set", "eth0", "up"},
		{"-n", ns, "route", "add", "default", "via", podGateway},
	} {
		if err := command("ip", args...); err != nil {
			return "", err
		}
	}
	return ip, nil
}

func (i *isolation) removePod(id string) { _ = command("ip", "netns", "del", "kt-"+id) }

// cgroup is the folder of all containers of this cluster, from the root of each hierarchy. Another cluster has another one.
func (i *isolation) cgroup() string {
	return fmt.Sprintf("/kubetest-%08x", crc32.ChecksumIEEE([]byte(i.dir)))
}

func (i *isolation) runc(args ...string) []string {
	return append([]string{"runc", "--root", filepath.Join(i.dir, "runc")}, args...)
}

func (i *isolation) bundle(id string) string { return filepath.Join(i.dir, "bundles", id) }

// wasOutOfMemory says whether the kernel killed a process of a container for its memory limit.
func (i *isolation) wasOutOfMemory(id string) bool {
	for _, file := range []string{"/sys/fs/cgroup/memory" + i.cgroup() + "/" + id + "/memory.oom_control", "/sys/fs/cgroup" + i.cgroup() + "/" + id + "/memory.events"} {
		text, _ := os.ReadFile(file)
		for _, line := range strings.Split(string(text), "\n") {
			if count, found := strings.CutPrefix(line, "oom_kill "); found && count != "0" {
				return true
			}
		}
	}
	return false
}

// kill ends a container at once.
func (i *isolation) kill(id string) {
	line := i.runc("kill", "kt-"+id, "KILL")
	_ = exec.Command(line[0], line[1:]...).Run()
}

// remove ends a container, and removes what it was made of.
func (i *isolation) remove(id string) {
	line := i.runc("delete", "--force", "kt-"+id)
	_ = exec.Command(line[0], line[1:]...).Run()
	_ = syscall.Unmount(filepath.Join(i.bundle(id), "rootfs"), syscall.MNT_DETACH)
	_ = os.RemoveAll(i.bundle(id))
}
