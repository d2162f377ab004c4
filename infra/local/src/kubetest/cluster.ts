import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { readJson } from '../supervision/json-file.ts';
import type { ServiceSpec } from '../supervision/service.ts';

const Cluster = z.object({
  pid: z.number(),
  kubeconfig: z.string(),
  etcd: z.string(),
  audit: z.string(),
});
export type Cluster = Readonly<z.infer<typeof Cluster>>;

/** What an image runs on the test cluster, where containers are processes of this machine. */
export interface LocalImage {
  readonly entrypoint: readonly string[];
  readonly workingDir: string;
  readonly user: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ClusterOptions {
  readonly program: string;
  readonly folder: string;
  readonly images: Readonly<Record<string, LocalImage>>;
}

export async function prepareKubetest(options: ClusterOptions): Promise<ServiceSpec> {
  const { program, folder, images } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const imageFile = path.join(folder, 'images.json');
  await writeFile(imageFile, JSON.stringify(images));
  return {
    name: 'kubetest',
    command: program,
    args: ['up', '--dir', folder, '--images', imageFile],
    // The containers get PATH, and nothing else of this environment.
    options: { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } },
    hasChannel: false,
    stop: { signal: 'SIGTERM', patienceMs: 10_000 },
    async ready(_, signal) {
      while (!(await readJson(fileOf(folder), Cluster))) await sleep(50, undefined, { signal });
    },
  };
}

export async function readCluster(folder: string): Promise<Cluster> {
  const cluster = await readJson(fileOf(folder), Cluster);
  if (!cluster) throw new Error(`the cluster in ${folder} is not ready`);
  return cluster;
}

function fileOf(folder: string): string {
  return path.join(folder, 'cluster.json');
}
