import { findAgentRole } from '@session/agents';
import { expect, test } from 'vitest';
import { openFakeApi, sendError, sendJson } from '../testing/fake-api.ts';
import { openApiServer } from './api-server.ts';
import { PodCheck } from './pod-check.ts';

const role = findAgentRole('echo-agent');
if (!role) throw new Error('the catalogue has this role');
const planned = { workloadId: 'a1', agentId: 'a1', sessionId: 's1', projectId: 'p1', role };
const pod = {
  instance: 'blue',
  version: '1.2.3',
  imageOf: () => ({ image: 'echo:1' }),
  deadlineSeconds: 600,
  graceSeconds: 30,
};

test('the cluster is asked whether it would accept the pod, and creates nothing', async () => {
  await using fake = await openFakeApi((_, response) => sendJson(response, 201, {}));
  await using check = checkWith(fake.kubeconfig);
  await expect(check.check(planned)).resolves.toBeUndefined();
  await check.check(planned);
  const line = 'POST /api/v1/namespaces/agents/pods?dryRun=All';
  expect(fake.requests.map((request) => request.line)).toEqual([line, line]);
  expect(fake.requests[0]?.body).toMatchObject({ kind: 'Pod', metadata: { name: 'agent-a1' } });
});

test.each([
  [403, 'exceeded quota: one', { name: 'LaunchDelayed', reason: 'no_capacity' }],
  [403, 'maximum cpu usage', { name: 'LaunchRefused', reason: 'bad_configuration' }],
  [422, 'spec is invalid', { name: 'LaunchRefused', reason: 'bad_configuration' }],
])('a refusal with %i “%s” is the problem of the start', async (status, message, problem) => {
  await using fake = await openFakeApi((_, response) => sendError(response, status, '', message));
  await using check = checkWith(fake.kubeconfig);
  await expect(check.check(planned)).rejects.toMatchObject(problem);
});

const away = {
  name: 'LaunchDelayed',
  reason: 'start_timeout',
  detail:
    'The cluster that runs the agents does not answer. Check again in a minute: an agent started now waits until it does.',
};

test.each([401, 409, 501])('a cluster that responds with %i delays the start', async (status) => {
  await using fake = await openFakeApi((_, response) => sendError(response, status, ''));
  await using check = checkWith(fake.kubeconfig);
  await expect(check.check(planned)).rejects.toMatchObject(away);
  expect(fake.requests.length).toBeGreaterThan(0);
});

test('a cluster that cannot be reached delays the start', async () => {
  const { kubeconfig, ...fake } = await openFakeApi(() => {});
  await using check = checkWith(kubeconfig);
  const api = openApiServer(kubeconfig);
  await fake[Symbol.asyncDispose]();
  await using unreachable = new PodCheck({ openApi: async () => api, namespace: 'agents', pod });
  await expect(unreachable.check(planned)).rejects.toMatchObject(away);
  // The kubeconfig is gone too: that is a fault of the configuration.
  await expect(check.check(planned)).rejects.toMatchObject({ name: 'StartError' });
});

test('every role is installed, and nothing is opened to say so', async () => {
  await using check = new PodCheck({ openApi, namespace: 'agents', pod });
  expect(check.isInstalled({ image: 'echo' })).toBe(true);
  expect(check.isInstalled({ image: '' })).toBe(false);
});

function openApi(): never {
  throw new Error('not expected here');
}

function checkWith(kubeconfig: string): PodCheck {
  return new PodCheck({ openApi: async () => openApiServer(kubeconfig), namespace: 'agents', pod });
}
