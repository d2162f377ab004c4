import { randomBytes } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../src/supervision/tool.ts';
import { patiently } from './patiently.ts';

const kubernetes = path.resolve(import.meta.dirname, '../../../kubernetes');
const NAMESPACE = 'session-service';
/** Where browsers, and so the demo, find LiveKit: the one value of the overlay that is not this cluster's. */
const MEDIA_PUBLIC_URL = `ws://livekit.${NAMESPACE}.svc.cluster.local:7880`;
const RECORDERS = 2;
const USER = 1000;

export const API_URL = `http://api.${NAMESPACE}.svc.cluster.local`;

/** What API and console answer while all is well. */
export const HEALTH_URLS = [
  `${API_URL}/health`,
  `http://console.${NAMESPACE}.svc.cluster.local/health`,
] as const;

export type Kubectl = (...args: readonly string[]) => Promise<string>;

export function kubectlOf(program: string, kubeconfig: string): Kubectl {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return async (...args) => await run(program, ['kubectl', ...args], { env });
}

/** Deploys `overlays/local` as its README says, and returns when all its pods are ready and the API answers. */
export async function deployProduct(kubectl: Kubectl, folder: string): Promise<void> {
  await kubectl('apply', '-k', path.join(kubernetes, 'base/agents'));
  await kubectl('apply', '-f', path.join(kubernetes, 'base/service/namespace.yaml'));
  const password = random();
  await createSecret(kubectl, 'session-service', {
    DATABASE_URL: `postgres://session:${password}@postgres:5432/session`,
    POSTGRES_PASSWORD: password,
    MEDIA_API_KEY: 'key',
    MEDIA_API_SECRET: random(),
  });
  await createSecret(kubectl, 'session-service-api', {
    JWT_SECRET: random(),
    ENCRYPTION_KEY: random(),
  });
  await createDisks(kubectl, folder);
  await kubectl('apply', '-k', await writeOverlay(folder));
  await kubectl('-n', NAMESPACE, 'scale', 'statefulset', 'recorder', `--replicas=${RECORDERS}`);
  const rollouts = ['deployment/postgres', 'deployment/livekit', 'deployment/api'];
  await untilRolledOut(kubectl, ...rollouts, 'deployment/console', 'statefulset/recorder');
  // kube-proxy leads to the first pod a moment after the pod is ready.
  await patiently(async () => (await fetch(`${API_URL}/health`).catch(() => undefined))?.ok);
}

export async function rollProduct(kubectl: Kubectl): Promise<void> {
  const parts = ['deployment/api', 'deployment/console', 'statefulset/recorder'];
  await kubectl('-n', NAMESPACE, 'rollout', 'restart', ...parts);
  await untilRolledOut(kubectl, ...parts);
}

/** Returns when no agent runs. Throws after five minutes: then an agent has outlived its session. */
export async function untilNoAgentRuns(kubectl: Kubectl): Promise<void> {
  const running = ['--field-selector=status.phase=Running', '--output=name'];
  await patiently(
    async () => (await kubectl('-n', 'agents', 'get', 'pods', ...running)).trim() === '',
  );
}

async function untilRolledOut(kubectl: Kubectl, ...parts: readonly string[]): Promise<void> {
  for (const part of parts)
    await kubectl('-n', NAMESPACE, 'rollout', 'status', part, '--timeout=600s');
}

async function createSecret(
  kubectl: Kubectl,
  name: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const literals = Object.entries(values).map(([key, value]) => `--from-literal=${key}=${value}`);
  await kubectl('-n', NAMESPACE, 'create', 'secret', 'generic', name, ...literals);
}

function random(): string {
  return randomBytes(36).toString('base64url');
}

/** Makes the disks that a cloud would make for the recorders' claims. */
async function createDisks(kubectl: Kubectl, folder: string): Promise<void> {
  for (let disk = 0; disk < RECORDERS; disk += 1) {
    const hostPath = path.join(folder, `disk-${disk}`);
    await mkdir(hostPath);
    await chown(hostPath, USER, USER);
    const file = path.join(folder, `disk-${disk}.json`);
    await writeFile(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: `disk-${disk}` },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: hostPath },
        },
      }),
    );
    await kubectl('apply', '-f', file);
  }
}

async function writeOverlay(folder: string): Promise<string> {
  const overlay = path.join(folder, 'overlay');
  await mkdir(overlay);
  const local = path.relative(overlay, path.join(kubernetes, 'overlays/local'));
  const literals = [`MEDIA_PUBLIC_URL=${MEDIA_PUBLIC_URL}`];
  await writeFile(
    path.join(overlay, 'kustomization.yaml'),
    JSON.stringify({
      resources: [local],
      configMapGenerator: [
        { name: 'session-service', namespace: NAMESPACE, behavior: 'merge', literals },
      ],
    }),
  );
  return overlay;
}
