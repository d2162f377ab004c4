import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { testCluster } from './cluster.ts';

const run = promisify(execFile);
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Runs kubectl as the cluster's administrator, and gives what it printed: the one in the program of the run's own cluster,
 * on another cluster the one that is installed. Throws what it said when it fails.
 */
export async function kubectl(...args: readonly string[]): Promise<string> {
  const { kubeconfig, own } = testCluster();
  const command = own ? [own.program, 'kubectl'] : ['kubectl'];
  const [file = '', ...before] = command;
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return (await run(file, [...before, ...args], { env, maxBuffer: MOST_BYTES })).stdout;
}
