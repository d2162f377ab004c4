import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  type V1RoleBinding,
} from '@kubernetes/client-node';
import { testCluster } from '@session/testing';
import { parseAllDocuments } from 'yaml';
import { Http1KubeConfig } from '../src/http1-kube-config.ts';

const manifests = path.resolve(import.meta.dirname, '../../../infra/kubernetes/base/agents');
const ACCOUNT = 'api';
const USABLE_TIMEOUT_MS = 60_000;

export interface TestNamespace extends AsyncDisposable {
  readonly name: string;
  /** The path of a kubeconfig for the API's service account, with exactly the rights of the manifests. */
  readonly kubeconfig: string;
  /** A client with the rights of the cluster's administrator. */
  readonly admin: CoreV1Api;
}

/** Creates a namespace like the one of a deployment's agents. Disposal deletes the namespace and everything in it. */
export async function createTestNamespace(): Promise<TestNamespace> {
  const config = new Http1KubeConfig();
  config.loadFromFile(testCluster().kubeconfig);
  const admin = config.makeApiClient(CoreV1Api);
  const name = `test-${randomUUID()}`;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const objects = KubernetesObjectApi.makeApiClient(config);
  for (const object of await agentManifests(name)) {
    await objects.create(object);
    if (object.kind === 'Namespace')
      stack.defer(async () => void (await admin.deleteNamespace({ name })));
  }
  await untilUsable(admin, name);
  const account = { metadata: { name: ACCOUNT }, automountServiceAccountToken: false };
  await admin.createNamespacedServiceAccount({ namespace: name, body: account });
  const { status } = await admin.createNamespacedServiceAccountToken({
    name: ACCOUNT,
    namespace: name,
    body: { spec: { audiences: [], expirationSeconds: 3600 } },
  });
  const kubeconfig = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(config, status?.token ?? ''), { mode: 0o600 });
  const owned = stack.move();
  return { name, kubeconfig, admin, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Waits until a controller has created the default account, without which the namespace accepts no pods. */
async function untilUsable(admin: CoreV1Api, namespace: string): Promise<void> {
  const deadline = performance.now() + USABLE_TIMEOUT_MS;
  const find = async () => await admin.readNamespacedServiceAccount({ name: 'default', namespace });
  while (!(await find().catch(() => undefined))) {
    if (performance.now() > deadline) throw new Error(`${namespace} has no default account`);
    await sleep(50);
  }
}

/** Returns the manifests of the agents' namespace under the name `namespace`, the namespace itself first. */
async function agentManifests(namespace: string): Promise<KubernetesObject[]> {
  const files = (await readdir(manifests)).filter((file) => !file.startsWith('kustomization'));
  const texts = await Promise.all(
    files.map((file) => readFile(path.join(manifests, file), 'utf8')),
  );
  const objects = texts.flatMap((text) =>
    parseAllDocuments(text).map((document): KubernetesObject => document.toJS()),
  );
  for (const object of objects) {
    object.metadata ??= {};
    if (object.kind === 'Namespace') object.metadata.name = namespace;
    else object.metadata.namespace = namespace;
    if (isRoleBinding(object)) {
      object.subjects = [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }];
    }
  }
  return objects.toSorted(
    (a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'),
  );
}

function isRoleBinding(object: KubernetesObject): object is V1RoleBinding {
  return object.kind === 'RoleBinding';
}

/** Returns a kubeconfig for the service account, in JSON, which is YAML too. */
function kubeconfigOf(config: KubeConfig, token: string): string {
  const user = new KubeConfig();
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error('the kubeconfig names no current cluster');
  user.loadFromClusterAndUser(cluster, { name: ACCOUNT, token });
  return user.exportConfig();
}
