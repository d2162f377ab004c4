import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { runMain } from '@session/kit';
import { disposeSdk } from '@session/media';
import * as z from 'zod';
import { runDemo } from '../../src/demo/run.ts';
import { readCluster } from '../../src/kubetest/cluster.ts';
import { plainProgress } from '../../src/supervision/progress.ts';
import { BRIDGE, beginNetwork, joinNetwork } from './cluster-network.ts';
import {
  API_URL,
  deployProduct,
  HEALTH_URLS,
  kubectlOf,
  rollProduct,
  untilNoAgentRuns,
} from './cluster-product.ts';
import { PATIENCE_MS } from './patiently.ts';
import { probePods } from './probe-pods.ts';
import { talkThrough } from './talk-through.ts';

/** The argument that `cluster.images.test.ts` passes. */
const Settings = z.object({
  program: z.string(),
  /** Holds everything that this program writes, and the images of the node in `images.json`. */
  folder: z.string(),
});

const progress = plainProgress((text) => process.stderr.write(text));

// Runs the product on a test cluster in namespaces of its own, and writes the result to `result.json` in the folder.
await runMain(async (stop) => {
  const { program, folder } = Settings.parse(JSON.parse(process.argv[2] ?? '{}'));
  await beginNetwork();
  const cluster = path.join(folder, 'cluster');
  const args = ['up', '--dir', cluster, '--images', path.join(folder, 'images.json')];
  const child = spawn(program, [...args, '--bridge', BRIDGE, '--timeout', '10m'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  try {
    await Promise.race([once(createInterface(child.stdout), 'line'), exit]);
    const { kubeconfig } = await readCluster(cluster);
    await joinNetwork(folder);
    const kubectl = kubectlOf(program, kubeconfig);
    try {
      await progress.during('Deploying the product', () => deployProduct(kubectl, folder));
      const demo = await runDemo({ apiUrl: API_URL, progress, waitMs: PATIENCE_MS, stop });
      const talk = await progress.during('Replacing all pods', () =>
        talkThrough(API_URL, HEALTH_URLS, () => rollProduct(kubectl)),
      );
      await progress.during('Waiting for the end of all agents', () => untilNoAgentRuns(kubectl));
      const pods = await probePods(kubectl, folder);
      await writeFile(path.join(folder, 'result.json'), JSON.stringify({ demo, talk, pods }));
    } catch (error) {
      process.stderr.write(await describePods(kubectl));
      throw error;
    }
  } finally {
    child.kill('SIGTERM');
    await exit;
    await disposeSdk();
  }
});

async function describePods(kubectl: (...args: readonly string[]) => Promise<string>) {
  const pods = await kubectl('get', 'pods', '--all-namespaces', '--output=wide');
  const events = await kubectl('get', 'events', '--all-namespaces');
  const logs = await kubectl('-n', 'session-service', 'logs', 'deployment/api', '--tail=15').catch(
    String,
  );
  return `${pods}\n${events}\n${logs}\n`;
}
