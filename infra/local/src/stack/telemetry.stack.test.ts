import { traceIdOf } from '@session/traces';
import { startReceiver, traceEnv } from '@session/traces/testing';
import { expect, test } from 'vitest';
import { haveTracedConversation, PLANTED } from '../../testing/traced-conversation.ts';

test('no span and no metric holds words, names, tokens, values of templates or secrets of the service', {
  timeout: 400_000,
}, async () => {
  await using receiver = await startReceiver();
  const conversation = await haveTracedConversation('telemetry', traceEnv(receiver));
  const { run, stack, messages, tokens } = conversation;
  const urls = Object.values(stack.metricsUrls);
  const metrics = await Promise.all(urls.map(async (url) => await (await fetch(url)).text()));
  // Each process sends its last spans when it ends.
  await run.stop('SIGTERM');

  // Otherwise the test would show nothing.
  const services = new Set(receiver.spans.map(({ resource }) => resource['service.name']));
  expect(services).toEqual(new Set(['session-api', 'session-recorder', 'light-agent']));
  const names = receiver.spans.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['start agent', 'run program', 'POST /auth/login']));
  const traces = new Set(receiver.spans.map(({ traceId }) => traceId));
  for (const { id } of messages) expect(traces).toContain(traceIdOf(id));
  for (const text of metrics) expect(text).toContain('session_');

  const telemetry = [...receiver.bodies, ...metrics].join('\n');
  const planted = new RegExp(`.{0,60}${PLANTED}.{0,60}`, 'gi');
  expect(telemetry.match(planted) ?? []).toEqual([]);
  const { jwtSecret, mediaApiSecret, databaseUrl } = stack;
  const { password } = new URL(databaseUrl);
  const secrets = [...tokens, jwtSecret, mediaApiSecret, password].filter(Boolean);
  expect(secrets.filter((secret) => telemetry.includes(secret))).toEqual([]);
});
