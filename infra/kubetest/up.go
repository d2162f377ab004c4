package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	api "k8s.io/client-go/tools/clientcmd/api"
)

const nodeName = "127.0.0.1"

// auditPolicy logs all requests except those of the cluster itself and of its administrator.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, userGroups: ["system:nodes", "system:masters"]}
- {level: Metadata}
`

// controllers lists the controllers that a pod's life needs.
var controllers = []string{
	"garbage-collector-controller", "namespace-controller", "resourcequota-controller", "serviceaccount-controller",
	"root-ca-certificate-publisher-controller", "pod-garbage-collector-controller", "node-lifecycle-controller",
	"taint-eviction-controller",
}

// cluster holds the addresses, files and keys with which the parts of one cluster find each other.
type cluster struct {
	dir                             string
	etcd, peer, server              string
	serverPort, nodePort            int
	proxyPorts                      []int
	images, bridge                  string
	compaction                      time.Duration
	admin, manager, scheduler, node string // kubeconfigs
}

// up runs the whole cluster on loopback until SIGTERM, SIGINT or the end of standard input,
// and reports its address when it is ready.
func up(args []string) error {
	began := time.Now()
	flags := flag.NewFlagSet("up", flag.ExitOnError)
	c := &cluster{}
	flags.StringVar(&c.dir, "dir", "", "folder for data, certificates, logs and the kubeconfig (emptied)")
	flags.StringVar(&c.images, "images", "", "JSON file with the images the node can run; no node without it")
	flags.StringVar(&c.bridge, "bridge", "", "name of a bridge to make, for pods with a network of their own: needs root, runc, ip and iptables")
	flags.DurationVar(&c.compaction, "compaction", 5*time.Minute, "how often the API server compacts etcd; 0 = never")
	wait := flags.Duration("timeout", 2*time.Minute, "how long the start may take")
	_ = flags.Parse(args)
	if c.dir == "" {
		return fmt.Errorf("--dir is missing")
	}
	if err := c.prepare(); err != nil {
		return err
	}
	if c.bridge != "" {
		isolated := &isolation{dir: c.path("node"), bridge: c.bridge}
		defer isolated.close()
		if err := isolated.open(); err != nil {
			return err
		}
		controllers = append(controllers, "deployment-controller", "replicaset-controller", "statefulset-controller", "disruption-controller",
			"endpointslice-controller", "endpoints-controller", "persistentvolume-binder-controller")
	}
	s := &supervisor{dir: c.dir, failed: make(chan error, 8)}
	defer s.stop()
	stop := stopSignals()
	restart := make(chan os.Signal, 1)
	signal.Notify(restart, syscall.SIGUSR1)

	deadline, cancel := context.WithTimeout(context.Background(), *wait)
	defer cancel()
	if err := c.start(deadline, s, stop); err != nil {
		return err
	}
	if err := c.tell(time.Since(began)); err != nil {
		return err
	}
	for {
		select {
		case <-stop:
			return nil
		case err := <-s.failed:
			return err
		case <-restart: // SIGUSR1: the API server dies and comes back without its watch cache
			s.kill("apiserver")
			s.start("apiserver", c.serverFlags()...)
		}
	}
}

// stopSignals receives SIGTERM, SIGINT, and the end of the parent, which holds our standard input.
func stopSignals() chan os.Signal {
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	if in, err := os.Stdin.Stat(); err == nil && in.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		go func() { _, _ = io.Copy(io.Discard, os.Stdin); stop <- syscall.SIGTERM }()
	}
	return stop
}

// tell reports that the cluster is ready and its address, in cluster.json and then on standard output: who reads the line finds the file.
func (c *cluster) tell(start time.Duration) error {
	line, err := json.Marshal(map[string]any{"pid": os.Getpid(), "kubeconfig": c.admin, "server": c.server, "etcd": c.etcd,
		"audit": c.path("log", "audit.jsonl"), "readyMs": start.Milliseconds()})
	if err != nil {
		return err
	}
	draft := c.path("cluster.json.draft")
	if err := os.WriteFile(draft, line, 0o600); err != nil {
		return err
	}
	if err := os.Rename(draft, c.path("cluster.json")); err != nil {
		return err
	}
	fmt.Println(string(line))
	return nil
}

func (c *cluster) path(elements ...string) string {
	return filepath.Join(append([]string{c.dir}, elements...)...)
}

// prepare creates the folders, certificates and kubeconfigs, and chooses the ports.
func (c *cluster) prepare() error {
	for _, name := range []string{"cluster.json", "etcd", "pki", "log", "node"} {
		if err := os.RemoveAll(c.path(name)); err != nil {
			return err
		}
	}
	for _, name := range []string{"etcd", "pki", "log", "node"} {
		if err := os.MkdirAll(c.path(name), 0o700); err != nil {
			return err
		}
	}
	ports, err := freePorts(6)
	if err != nil {
		return err
	}
	c.etcd, c.peer = fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	c.server, c.serverPort, c.nodePort = fmt.Sprintf("https://127.0.0.1:%d", ports[2]), ports[2], ports[3]
	c.proxyPorts = ports[4:6]
	ca, err := newAuthority(c.path("pki", "ca.crt"))
	if err != nil {
		return err
	}
	for _, name := range []string{"serving", "kubelet-client"} {
		if err := ca.issue(name, c.path("pki", name+".crt"), c.path("pki", name+".key")); err != nil {
			return err
		}
	}
	if err := newKey(c.path("pki", "sa.key"), c.path("pki", "sa.pub")); err != nil {
		return err
	}
	if err := c.writeUsers(ca.pem); err != nil {
		return err
	}
	return os.WriteFile(c.path("audit.yaml"), []byte(auditPolicy), 0o600)
}

// writeUsers gives each user of the cluster a token and a kubeconfig.
func (c *cluster) writeUsers(authority []byte) error {
	users := []struct{ name, group, file string }{
		{"admin", "system:masters", "admin"},
		{"system:node:" + nodeName, "system:nodes", "node"},
		{"system:kube-controller-manager", "system:masters", "controller-manager"},
		{"system:kube-scheduler", "", "scheduler"},
	}
	var tokens strings.Builder
	for _, user := range users {
		token, err := random()
		if err != nil {
			return err
		}
		fmt.Fprintf(&tokens, "%s,%s,%s,%q\n", token, user.name, user.name, user.group)
		config := api.NewConfig()
		config.Clusters["test"] = &api.Cluster{Server: c.server, CertificateAuthorityData: authority}
		config.AuthInfos[user.file] = &api.AuthInfo{Token: token}
		config.Contexts["test"] = &api.Context{Cluster: "test", AuthInfo: user.file}
		config.CurrentContext = "test"
		if err := clientcmd.WriteToFile(*config, c.path(user.file+".kubeconfig")); err != nil {
			return err
		}
	}
	c.admin, c.node = c.path("admin.kubeconfig"), c.path("node.kubeconfig")
	c.manager, c.scheduler = c.path("controller-manager.kubeconfig"), c.path("scheduler.kubeconfig")
	return os.WriteFile(c.path("pki", "tokens.csv"), []byte(tokens.String()), 0o600)
}

// start starts the parts in their order, and returns when pods can run.
func (c *cluster) start(ctx context.Context, s *supervisor, stop <-chan os.Signal) error {
	s.start("etcd", "--data-dir="+c.path("etcd"), "--listen-client-urls="+c.etcd, "--advertise-client-urls="+c.etcd,
		"--listen-peer-urls="+c.peer, "--initial-advertise-peer-urls="+c.peer, "--initial-cluster=default="+c.peer,
		"--unsafe-no-fsync", "--log-level=warn")
	s.start("apiserver", c.serverFlags()...)
	config, err := clientcmd.BuildConfigFromFlags("", c.admin)
	if err != nil {
		return err
	}
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := s.until(ctx, stop, func(ctx context.Context) error { return readyz(ctx, config) }); err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	s.start("controller-manager", "--kubeconfig="+c.manager, "--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file="+c.path("pki", "sa.key"), "--root-ca-file="+c.path("pki", "ca.crt"),
		"--controllers="+strings.Join(controllers, ","))
	s.start("scheduler", "--kubeconfig="+c.scheduler, "--leader-elect=false", "--secure-port=0")
	if c.images != "" {
		s.start("node", "--name="+nodeName, "--kubeconfig="+c.node, "--dir="+c.path("node"), "--images="+c.images, "--bridge="+c.bridge,
			fmt.Sprintf("--port=%d", c.nodePort), "--tls-cert="+c.path("pki", "serving.crt"),
			"--tls-key="+c.path("pki", "serving.key"), "--client-ca="+c.path("pki", "ca.crt"))
	}
	if c.bridge != "" {
		s.start("proxy", "--kubeconfig="+c.manager, "--proxy-mode=iptables", "--cluster-cidr="+podCIDR, "--hostname-override="+nodeName,
			"--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0", "--conntrack-tcp-timeout-close-wait=0",
			fmt.Sprintf("--healthz-bind-address=127.0.0.1:%d", c.proxyPorts[0]), fmt.Sprintf("--metrics-bind-address=127.0.0.1:%d", c.proxyPorts[1]))
	}
	return s.until(ctx, stop, func(ctx context.Context) error { return c.canRunPods(ctx, client) })
}

func (c *cluster) serverFlags() []string {
	advertised, bound, reconciler := "127.0.0.1", "127.0.0.1", "none"
	if c.bridge != "" {
		advertised, bound, reconciler = podGateway, "0.0.0.0", "master-count"
	}
	return []string{"--advertise-address=" + advertised, "--etcd-servers=" + c.etcd, fmt.Sprintf("--etcd-compaction-interval=%s", c.compaction),
		"--bind-address=" + bound, fmt.Sprintf("--secure-port=%d", c.serverPort),
		"--tls-cert-file=" + c.path("pki", "serving.crt"), "--tls-private-key-file=" + c.path("pki", "serving.key"),
		"--cert-dir=" + c.path("pki"), "--client-ca-file=" + c.path("pki", "ca.crt"),
		"--token-auth-file=" + c.path("pki", "tokens.csv"), "--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction", "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.path("pki", "sa.pub"), "--service-account-signing-key-file=" + c.path("pki", "sa.key"),
		"--service-cluster-ip-range=10.96.0.0/16", "--endpoint-reconciler-type=" + reconciler,
		"--kubelet-certificate-authority=" + c.path("pki", "ca.crt"),
		"--kubelet-client-certificate=" + c.path("pki", "kubelet-client.crt"),
		"--kubelet-client-key=" + c.path("pki", "kubelet-client.key"),
		"--audit-policy-file=" + c.path("audit.yaml"), "--audit-log-path=" + c.path("log", "audit.jsonl"), "--profiling=false"}
}

func (c *cluster) canRunPods(ctx context.Context, client clientset.Interface) error {
	if _, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{}); err != nil {
		return err
	}
	if c.images == "" {
		return nil
	}
	node, err := client.CoreV1().Nodes().Get(ctx, nodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if len(node.Spec.Taints) > 0 {
		return fmt.Errorf("the node is not ready")
	}
	return nil
}

func readyz(ctx context.Context, config *rest.Config) error {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("readyz: %s", response.Status)
	}
	return nil
}

// freePorts returns n different loopback ports that are free now.
func freePorts(n int) (ports []int, _ error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

func random() (string, error) {
	b := make([]byte, 16)
	_, err := rand.Read(b)
	return hex.EncodeToString(b), err
}
