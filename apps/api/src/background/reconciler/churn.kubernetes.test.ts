import { readFile, writeFile } from 'node:fs/promises';
import { createTestNamespace, type TestNamespace } from '@session/k8s/testing';
import { createTestDatabase, DatabaseProxy, testCluster } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';
import { startApiPair } from '../../../testing/api-pair.ts';
import {
  CHURN_TIMEOUT_MS,
  churn,
  closing,
  type End,
  killing,
  stopping,
} from '../../../testing/churn.ts';
import { envOf, podsIn, secretsIn } from '../../../testing/pods.ts';

const SERVER = /https:[^"]+/;

test.skipIf(!testCluster().own)(
  'agents come and go while APIs are killed and their connections cut: each ends with a true reason, and no pod or secret is left',
  async () => {
    await using namespace = await createTestNamespace();
    await using database = await createTestDatabase();
    await using agents = await openTestAgents({ databaseUrl: database.url });
    const kubeconfig = await readFile(namespace.kubeconfig, 'utf8');
    await using serverProxy = await DatabaseProxy.open(SERVER.exec(kubeconfig)?.[0] ?? '');
    const proxiedKubeconfig = `${namespace.kubeconfig}.proxied`;
    await writeFile(proxiedKubeconfig, kubeconfig.replace(SERVER, serverProxy.url));
    await using apis = await startApiPair(database.url, agents.folder, {
      ...envOf(namespace),
      KUBECONFIG: proxiedKubeconfig,
    });
    const { untrue, pids } = await churn({
      agents,
      ends: [stopping(agents), closing(agents), killing, evicting(namespace), deleting(namespace)],
      // None of these faults ends a pod.
      faults: [
        () => harmless(apis.replace('SIGKILL')),
        () => harmless(apis.replace('SIGTERM')),
        () => harmless(serverProxy.refuseConnections().then(() => serverProxy.acceptConnections())),
        () => harmless(serverProxy.hangUp()),
        () => harmless(process.kill(testCluster().own?.pid ?? 0, 'SIGUSR1')),
      ],
    });
    expect(untrue).toEqual([]);
    await expect.poll(pids).toEqual([]);
    await expect.poll(() => podsIn(namespace)).toEqual([]);
    await expect.poll(() => secretsIn(namespace)).toEqual([]);
  },
  CHURN_TIMEOUT_MS,
);

async function harmless(fault: unknown): Promise<undefined> {
  await fault;
}

/** Evicts a pod, as a drained node does. Only the pod itself says so: if nobody observed its end, the agent is `lost`. */
function evicting({ admin, name: namespace }: TestNamespace): End {
  return async ({ id }) => {
    const name = `agent-${id}`;
    const body = { metadata: { name } };
    return await admin.createNamespacedPodEviction({ name, namespace, body }).then(
      () => ['evicted', 'lost'],
      () => [],
    );
  };
}

function deleting({ admin, name: namespace }: TestNamespace): End {
  return async ({ id }) =>
    await admin.deleteNamespacedPod({ name: `agent-${id}`, namespace }).then(
      () => ['lost'],
      () => [],
    );
}
