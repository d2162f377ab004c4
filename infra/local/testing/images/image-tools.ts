import path from 'node:path';
import { run } from '../../src/supervision/tool.ts';
import { OWN_PROCESSES } from './run-alone.ts';
import { RUN_FOLDER } from './run-folder.ts';

interface Need {
  readonly what: string;
  /** The Debian package that provides it, if a package can. */
  readonly package?: string;
  /** A command that succeeds if it is present. */
  readonly check: readonly string[];
}

const cache = path.resolve(import.meta.dirname, '../../../../.cache');

/** The programs, by the package that has them. */
const PROGRAMS = {
  buildah: 'buildah',
  podman: 'podman',
  runc: 'runc',
  mmdebstrap: 'mmdebstrap',
  git: 'git',
  ip: 'iproute2',
  iptables: 'iptables',
  python3: 'python3',
} as const;

const NEEDS: readonly Need[] = [
  ...Object.entries(PROGRAMS).map(([program, name]) => ({
    what: `the program ${program}`,
    package: name,
    check: ['which', program],
  })),
  {
    what: 'a Python with venv',
    package: 'python3-venv',
    check: ['python3', '-c', 'import ensurepip, venv'],
  },
  {
    what: 'plugins for networks of containers',
    package: 'containernetworking-plugins',
    check: shell('ls /usr/lib/cni/bridge || ls /usr/lib/podman/netavark'),
  },
  {
    what: 'the keys of Debian’s packages',
    package: 'debian-archive-keyring',
    check: ['test', '-e', '/usr/share/keyrings/debian-archive-keyring.gpg'],
  },
  {
    what: 'the right to make namespaces',
    check: ['unshare', ...OWN_PROCESSES, '--net', 'true'],
  },
  {
    what: 'the right to limit memory by control groups (a container has it with --privileged --cgroupns=host)',
    check: shell(limitMemory('/sys/fs/cgroup')),
  },
  {
    // Without this module, kube-proxy does not see what pods send each other.
    what: 'the kernel’s module br_netfilter (`modprobe br_netfilter` loads it)',
    package: 'kmod',
    check: ['test', '-e', '/proc/sys/net/bridge/bridge-nf-call-iptables'],
  },
  // An overlay cannot be mounted on another one, neither for the layers of images nor for the files of pods.
  ...[cache, path.dirname(RUN_FOLDER)].map((folder) => ({
    what: `a disk below ${folder} that is no overlay itself`,
    check: shell(`! stat --file-system --format=%T ${folder} | grep --quiet ^overlay`),
  })),
];

/** Says how to install missing programs. */
export const IMAGE_REMEDY = `As root, \`apt-get install --no-install-recommends ${packagesOf(NEEDS).join(' ')}\` installs the programs.`;

/** Returns what this machine lacks to build the images and to run them as containers. It is empty where nothing is missing. */
export async function findMissingForImages(): Promise<readonly Need[]> {
  if (process.getuid?.() !== 0) return [{ what: 'root', check: [] }];
  const missing = [];
  for (const need of NEEDS) if (!(await isThere(need))) missing.push(need);
  return missing;
}

/** Returns the Debian packages that provide these needs. */
export function packagesOf(needs: readonly Need[]): string[] {
  return needs.flatMap(({ package: name }) => name ?? []);
}

async function isThere({ check: [program = '', ...args] }: Need): Promise<boolean> {
  return await run(program, args).then(
    () => true,
    () => false,
  );
}

function shell(command: string): string[] {
  return ['sh', '-c', command];
}

/** Returns a command that makes a control group of memory at the root, as podman and runc do. */
function limitMemory(root: string): string {
  const [unified, name] = [`${root}/cgroup.subtree_control`, 'session-images-check'];
  const version1 = `mkdir ${root}/memory/${name} && rmdir ${root}/memory/${name}`;
  const version2 = `grep --quiet --word-regexp memory ${unified} || echo +memory >${unified}`;
  return `if [ -e ${unified} ]; then ${version2}; else ${version1}; fi`;
}
