import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Database, openDatabase } from '@session/db';
import { createTestNamespace, type TestNamespace } from '@session/k8s/testing';
import { createTestDatabase } from '@session/testing';
import { type AgentsOptions, openTestAgents, type TestAgents } from './agents.ts';

const TIMEOUT_MS = 60_000;

export interface TestPods extends AsyncDisposable {
  readonly agents: TestAgents;
  readonly namespace: TestNamespace;
  readonly databaseUrl: string;
  readonly sql: Database['sql'];
}

export async function openPods({ env, ...options }: AgentsOptions = {}): Promise<TestPods> {
  await using stack = new AsyncDisposableStack();
  const namespace = stack.use(await createTestNamespace());
  const { url: databaseUrl } = stack.use(await createTestDatabase());
  const { sql } = stack.use(openDatabase(databaseUrl));
  const all = { ...options, databaseUrl, env: { ...envOf(namespace), ...env } };
  const agents = stack.use(await openTestAgents(all));
  const owned = stack.move();
  return { agents, namespace, databaseUrl, sql, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Returns the variables of an API whose agents are pods in this namespace. */
export function envOf({ name, kubeconfig }: TestNamespace): NodeJS.ProcessEnv {
  return {
    AGENT_LAUNCHER: 'kubernetes',
    AGENT_NAMESPACE: name,
    AGENT_INSTANCE: 'blue',
    KUBECONFIG: kubeconfig,
  };
}

export async function podsIn({ admin, name: namespace }: TestNamespace) {
  return (await admin.listNamespacedPod({ namespace })).items;
}

export async function linesOf(
  { admin, name: namespace }: TestNamespace,
  agentId: string,
): Promise<string[]> {
  const log = await admin.readNamespacedPodLog({ name: `agent-${agentId}`, namespace });
  return log.trimEnd().split('\n');
}

export async function secretsIn({ admin, name: namespace }: TestNamespace) {
  const { items } = await admin.listNamespacedSecret({ namespace });
  return items.map(({ metadata }) => metadata?.name);
}

export async function namesOfSecretsWith(
  { admin, name: namespace }: TestNamespace,
  text: string,
): Promise<(string | undefined)[]> {
  const { items } = await admin.listNamespacedSecret({ namespace });
  const values = ({ data = {} }: (typeof items)[number]) =>
    Object.values(data).map((value) => Buffer.from(value, 'base64').toString());
  return items
    .filter((secret) => values(secret).some((value) => value.includes(text)))
    .map(({ metadata }) => metadata?.name);
}

/** Adds a quota called `limit` to the namespace. Resolves when the quota is in force. */
export async function limit(
  { admin, name: namespace }: TestNamespace,
  hard: Record<string, string>,
): Promise<void> {
  const body = { metadata: { name: 'limit' }, spec: { hard } };
  await admin.createNamespacedResourceQuota({ namespace, body });
  const find = async () => await admin.readNamespacedResourceQuota({ name: 'limit', namespace });
  const deadline = performance.now() + TIMEOUT_MS;
  while (!isDeepStrictEqual({ ...(await find()).status?.hard }, hard)) {
    if (performance.now() > deadline) throw new Error('the quota is not in force');
    await sleep(50);
  }
}
