import type { TestNamespace } from '@session/k8s/testing';
import { startReceiver, traceEnv, tracesTo } from '@session/traces/testing';
import { expect, test } from 'vitest';
import { openPods } from '../../../testing/pods.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const headers = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };
/** Without the steps that the cluster may report later than the media server reports the join. */
const STEPS_OF_A_START = [
  'create pod',
  'create secret',
  'join room',
  'join the room',
  'load program',
  'run program',
  'start agent',
  'start workload',
  'wait for a workload',
];

test('the start of a pod is one trace from its request to its program, which gets no header of the operator’s receiver', async () => {
  await using receiver = await startReceiver();
  const env = {
    ...traceEnv(receiver),
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20planted',
    AGENT_OTLP_ENDPOINT: receiver.url,
  };
  await using traces = await tracesTo(receiver, env);
  await using pods = await openPods({ env, traces });
  const { agents, namespace } = pods;
  await agents.open();
  const { api, ana } = agents;
  const sessionId = await api.createSession(ana);
  const payload = { role: 'echo-agent', config: { restart: 'never' } };
  const url = `/sessions/${sessionId}/agents`;
  const { id } = (await api.inject(ana, { method: 'POST', url, headers, payload })).json();
  await agents.until(id, 'Running');

  const names = () => receiver.trace(TRACE_ID).map(({ name }) => name);
  await expect.poll(names).toEqual(expect.arrayContaining(STEPS_OF_A_START));
  const find = (name: string) => receiver.trace(TRACE_ID).find((span) => span.name === name);
  const start = find('start agent');
  expect(find('create pod')?.parentSpanId).toBe(find('start workload')?.spanId);
  expect(find('run program')).toMatchObject({
    parentSpanId: start?.spanId,
    resource: { 'service.name': 'echo-agent', 'service.instance.id': id },
  });

  const variables = await variablesOf(namespace, id);
  expect(variables).toMatchObject({
    TRACEPARENT: `00-${TRACE_ID}-${start?.spanId}-01`,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  expect(JSON.stringify(variables)).not.toMatch(/planted|OTLP_HEADERS/);
  const tokens = receiver.bodies.map((body, index) => ({
    isAgent: body.includes(id) && body.includes('run program'),
    authorization: receiver.headers[index]?.authorization,
  }));
  const sentByAgent = tokens.filter(({ isAgent }) => isAgent);
  expect(sentByAgent).toEqual([{ isAgent: true, authorization: undefined }]);
  expect(tokens).toContainEqual({ isAgent: false, authorization: 'Bearer planted' });
});

/** Returns the environment of the agent's pod, which is in a secret as a whole. */
async function variablesOf(
  { admin, name: namespace }: TestNamespace,
  agentId: string,
): Promise<Record<string, string>> {
  const { data = {} } = await admin.readNamespacedSecret({ name: `agent-${agentId}`, namespace });
  const values = Object.entries(data).map(([name, value]) => [
    name,
    Buffer.from(value, 'base64').toString(),
  ]);
  return Object.fromEntries(values);
}
