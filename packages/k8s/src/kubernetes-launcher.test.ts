import { expect, test } from 'vitest';
import { openFakeApi, sendError, sendJson } from '../testing/fake-api.ts';
import { KubernetesLauncher } from './kubernetes-launcher.ts';
import { AGENT_ID } from './pod-spec.ts';

const pod = {
  metadata: {
    name: 'agent-a1',
    uid: 'u1',
    resourceVersion: '1',
    labels: { [AGENT_ID]: 'a1' },
    deletionTimestamp: '2026-01-01T00:00:00Z',
  },
  status: { phase: 'Running', containerStatuses: [{ name: 'agent', state: { running: {} } }] },
};

test('a pod that was given up and stays in Kubernetes is deleted once, and again only after a failure', async () => {
  let isAllowed = false;
  await using fake = await openFakeApi(({ line, url }, response) => {
    if (line.startsWith('DELETE') && isAllowed) sendJson(response, 200, {});
    else if (line.startsWith('DELETE')) sendError(response, 403, 'Forbidden');
    else if (url.searchParams.has('watch')) response.flushHeaders();
    else sendJson(response, 200, { metadata: { resourceVersion: '1' }, items: [pod] });
  });
  await using launcher = new KubernetesLauncher({
    api: fake.api,
    namespace: 'agents',
    instance: 'test',
    version: '0.0.0',
    imageOf: () => ({ image: 'image' }),
    deadlineSeconds: 3600,
    graceSeconds: 10,
    onFailure: () => {},
  });
  for await (const observation of launcher.observe(new AbortController().signal)) {
    if (observation.type === 'workload' && observation.workload.phase === 'ended') break;
  }
  await expect(launcher.remove('a1')).rejects.toMatchObject({ status: 403 });
  isAllowed = true;
  for (let round = 0; round < 3; round += 1) await launcher.remove('a1');
  const deletions = fake.requests.filter(({ line }) => line.startsWith('DELETE'));
  expect(deletions).toHaveLength(2);
});
