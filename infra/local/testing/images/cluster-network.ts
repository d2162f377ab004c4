import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../src/supervision/tool.ts';

/** The bridge of the pods, and the address at which the test cluster's DNS answers (`infra/kubetest/isolation.go`). */
export const BRIDGE = 'kt0';
const DNS_ADDRESS = '10.244.0.1';
const SERVICES = '10.96.0.0/16';

/**
 * Begins a network of this process's own, in which it runs a test cluster: `unshare --net --mount --pid --fork --kill-child
 * --mount-proc` must have started this process.
 */
export async function beginNetwork(): Promise<void> {
  await run('ip', ['link', 'set', 'lo', 'up']);
  await mkdir('/run/netns', { recursive: true });
  await run('mount', ['-t', 'tmpfs', 'tmpfs', '/run/netns']);
}

/** Makes the services of the cluster reachable from this process, by their names. */
export async function joinNetwork(folder: string): Promise<void> {
  await run('ip', ['route', 'add', SERVICES, 'dev', BRIDGE]);
  const file = path.join(folder, 'resolv.conf');
  await writeFile(file, `nameserver ${DNS_ADDRESS}\n`);
  await run('mount', ['--bind', file, '/etc/resolv.conf']);
}
