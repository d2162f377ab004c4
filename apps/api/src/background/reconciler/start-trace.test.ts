import { agentIdentity } from '@session/contract/room';
import { openDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { type Receiver, startReceiver, traceEnv, tracesTo } from '@session/traces/testing';
import { expect, test } from 'vitest';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';
import { startApi } from '../../../testing/api-process.ts';
import { agentRow, fakeSupervision, participant } from '../../../testing/supervision.ts';
import { traceStatements } from '../../http/statement-spans.ts';
import { SupervisedAgent } from './supervised-agent.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER_ID = 'b7ad6b7169203331';
const headers = { traceparent: `00-${TRACE_ID}-${CALLER_ID}-01` };
/**
 * The spans of the leader and of the agent's program, without statements: their number depends on how often a round is
 * repeated.
 */
const STEPS_OF_A_START = [
  'join room',
  'join the room',
  'load program',
  'run program',
  'spawn process',
  'start agent',
  'start the program',
  'start workload',
  'wait for a workload',
];
/** The reconciler and the agent have exported all spans of the start. */
const STARTED = expect.arrayContaining(STEPS_OF_A_START);

test('the start of an agent is one trace: request, statements, launcher and program, below the caller’s span', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver);
  using stack = new DisposableStack();
  stack.use(traceStatements(traces));
  await using agents = await openTestAgents({ env: traceEnv(receiver), traces });
  await agents.open();
  const id = await requestAgent(agents);
  await agents.until(id, 'Running');
  await expect.poll(() => namesOf(receiver)).toEqual(STARTED);
  const spans = receiver.trace(TRACE_ID);
  const find = (name: string) => spans.find((span) => span.name === name);
  const request = find('POST /sessions/:sessionId/agents');
  const start = find('start agent');
  expect(request?.parentSpanId).toBe(CALLER_ID);
  expect(start).toMatchObject({
    parentSpanId: request?.spanId,
    attributes: { 'session_service.agent.id': id, 'session_service.agent.role': 'echo-agent' },
  });
  expect(find('insert_agent')?.parentSpanId).toBe(request?.spanId);
  const launch = find('start workload');
  expect(launch?.parentSpanId).toBe(start?.spanId);
  expect(find('spawn process')?.parentSpanId).toBe(launch?.spanId);
  const program = find('run program');
  expect(program).toMatchObject({
    parentSpanId: start?.spanId,
    resource: { 'service.name': 'echo-agent', 'service.instance.id': id },
  });
  expect(find('join room')?.parentSpanId).toBe(program?.spanId);
  const services = new Set(spans.map(({ resource }) => resource['service.name']));
  expect(services).toEqual(new Set(['test', 'echo-agent']));
});

test('the start of an agent whose API was killed after the request has every step in the same trace', async () => {
  await using database = await createTestDatabase();
  await using receiver = await startReceiver();
  await using agents = await openTestAgents({ databaseUrl: database.url });
  await using own = openDatabase(database.url, { connections: 1 });
  // Another holder has the lease, so the first API never leads. It is killed before it exports a span.
  await own.sql`insert into leases (name, holder, expires_at) values ('background', gen_random_uuid(), 'infinity')`;
  const env = {
    ...traceEnv(receiver),
    OTEL_SERVICE_NAME: 'first',
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  };
  const first = await startApi(database.url, agents.folder, env);
  const id = await requestAgent(agents, first.url);
  await first.end('SIGKILL');
  expect(receiver.spans).toEqual([]);
  await own.sql`update leases set expires_at = 'epoch'`;
  await using stack = new AsyncDisposableStack();
  const next = { ...traceEnv(receiver), OTEL_SERVICE_NAME: 'second' };
  stack.use(await startApi(database.url, agents.folder, next));
  await agents.until(id, 'Running');
  await expect.poll(() => namesOf(receiver)).toEqual(STARTED);
  const spans = receiver.trace(TRACE_ID);
  const start = spans.find(({ name }) => name === 'start agent');
  const { createdAt } = await agents.find(id);
  expect(Number((start?.startTimeUnixNano ?? 0n) / 1_000_000n)).toBe(Date.parse(createdAt));
  expect(spans.find(({ name }) => name === 'run program')?.parentSpanId).toBe(start?.spanId);
  const services = new Set(spans.map(({ resource }) => resource['service.name']));
  expect(services).toEqual(new Set(['second', 'echo-agent']));
});

test('a start that could not be marked, and whose program is ready when it is first seen, has a span for each step', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver);
  const { deps, participants } = fakeSupervision({}, (name) =>
    name === 'note_start_times' ? Promise.resolve([]) : undefined,
  );
  const row = agentRow(headers);
  const identity = agentIdentity({ role: row.role, agentId: row.id });
  participants.push(participant({ identity, state: 'active', isAnnounced: true }));
  const launcher = { ...deps.launcher, startTimes: () => ({ programStartedAt: row.createdAt }) };
  await using agent = new SupervisedAgent({ ...deps, launcher, traces });
  await agent.reconcile(row, { phase: 'running' });
  await expect.poll(() => namesOf(receiver)).toContain('start agent');
  const steps = ['wait for a workload', 'start the program', 'join the room'];
  expect(namesOf(receiver)).toEqual(expect.arrayContaining(steps));
});

test('a restarted agent continues the trace, and the one that was never ready says why', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver);
  const programs = { 'echo-agent': 'process.exit(3)' };
  const limits = { restartDelaysMs: [10] };
  await using agents = await openTestAgents({ env: traceEnv(receiver), traces, programs, limits });
  await agents.open();
  const id = await requestAgent(agents, undefined, { restart: 'on-failure' });
  await agents.until(id, 'Stopped');
  await expect
    .poll(() => receiver.trace(TRACE_ID).filter(({ name }) => name.endsWith('start agent')))
    .toMatchObject([
      { name: 'start agent', attributes: { 'error.type': 'crashed' }, status: { code: 2 } },
      { name: 'restart agent', attributes: { 'error.type': 'crashed' }, status: { code: 2 } },
    ]);
});

test('an agent whose request was not traced gets no variable of traces', async () => {
  await using receiver = await startReceiver();
  const programs = {
    'echo-agent': 'console.log(Object.keys(process.env).join()); setInterval(() => {}, 1000)',
  };
  await using agents = await openTestAgents({ env: traceEnv(receiver), programs });
  await agents.open();
  const { id } = await agents.start();
  await expect.poll(async () => (await agents.logs(id)).items.length).toBeGreaterThan(0);
  const [line] = (await agents.logs(id)).items;
  expect(line?.line).not.toMatch(/OTEL|TRACE/);
});

async function requestAgent(
  { api, ana }: TestAgents,
  apiUrl?: string,
  config: object = { restart: 'never' },
): Promise<string> {
  const sessionId = await api.createSession(ana);
  const payload = { role: 'echo-agent', config };
  const url = `/sessions/${sessionId}/agents`;
  if (apiUrl === undefined) {
    return (await api.inject(ana, { method: 'POST', url, headers, payload })).json().id;
  }
  const answer = await fetch(`${apiUrl}${url}`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      authorization: `Bearer ${ana.token}`,
    },
    body: JSON.stringify(payload),
  });
  const { id }: { id: string } = JSON.parse(await answer.text());
  return id;
}

function namesOf(receiver: Receiver): string[] {
  return receiver.trace(TRACE_ID).map(({ name }) => name);
}
