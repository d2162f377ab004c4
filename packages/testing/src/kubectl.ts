import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { testCluster } from './cluster.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs kubectl as the cluster's administrator, and returns what it printed. For the run's own cluster it is part of the
 * cluster's program; for another cluster it is the installed kubectl. Throws an error with its output when it fails.
 */
export async function kubectl(...args: readonly string[]): Promise<string> {
  const { kubeconfig, own } = testCluster();
  const command = own ? [own.program, 'kubectl'] : ['kubectl'];
  const [file = '', ...before] = command;
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return (await run(file, [...before, ...args], { env, maxBuffer: MAX_OUTPUT_BYTES })).stdout;
}
