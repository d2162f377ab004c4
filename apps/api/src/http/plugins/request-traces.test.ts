import { once } from 'node:events';
import { connect } from 'node:net';
import type { Traces } from '@session/traces';
import { startReceiver, tracesTo } from '@session/traces/testing';
import { expect } from 'vitest';
import { apiTest } from '../../../testing/api-test.ts';
import { traceStatements } from '../statement-spans.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const traceparent = `00-${TRACE_ID}-${SPAN_ID}-01`;
const SERVER = 2;
const CLIENT = 3;

const tracedTest = apiTest
  .extend('receiver', async () => await startReceiver())
  .extend('traces', async ({ receiver }, { onCleanup }): Promise<Traces> => {
    const traces = await tracesTo(receiver);
    const statements = traceStatements(traces);
    onCleanup(async () => {
      statements[Symbol.dispose]();
      await traces[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    });
    return traces;
  })
  .extend('options', ({ traces }) => ({ deps: { traces } }));

tracedTest(
  'a request continues the trace of its caller, and has each of its statements by name below it',
  async ({ api, ana, receiver, traces }) => {
    const sessionId = await api.createSession(ana);
    const headers = { traceparent };
    const payload = { role: 'no-such-role' };
    const url = `/sessions/${sessionId}/agents`;
    const answer = await api.inject(ana, { method: 'POST', url, headers, payload });
    expect(answer.statusCode).toBe(400);
    await traces.flush();
    const [request, ...statements] = receiver.trace(TRACE_ID);
    expect(request).toMatchObject({
      parentSpanId: SPAN_ID,
      name: 'POST /sessions/:sessionId/agents',
      kind: SERVER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/sessions/:sessionId/agents',
        'http.response.status_code': 400,
      },
      resource: { 'service.name': 'test', 'service.namespace': 'session-service' },
    });
    expect(statements).toMatchObject([
      {
        name: 'find_session',
        kind: CLIENT,
        parentSpanId: request?.spanId,
        attributes: { 'db.system.name': 'postgresql', 'db.query.summary': 'find_session' },
      },
    ]);
  },
);

tracedTest.for([
  ['none', undefined],
  ['one that is not valid', '00-zz-01'],
  ['one of zeros', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
  ['one of version ff', `ff-${TRACE_ID}-${SPAN_ID}-01`],
] as const)(
  'a request begins a trace of its own where its traceparent is %s',
  async ([, value], { api, ana, receiver, traces }) => {
    const headers = value === undefined ? {} : { traceparent: value };
    await api.inject(ana, { url: '/projects', headers });
    await traces.flush();
    const request = receiver.spans.find(({ name }) => name === 'GET /projects');
    expect(request?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(request?.traceId).not.toBe(TRACE_ID);
    expect(request?.parentSpanId || undefined).toBeUndefined();
  },
);

tracedTest(
  'a request of a caller that is not sampled is not exported',
  async ({ api, ana, receiver, traces }) => {
    await api.inject(ana, {
      url: '/projects',
      headers: { traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` },
    });
    await api.inject(ana, { url: '/auth/me' });
    await traces.flush();
    expect(receiver.trace(TRACE_ID)).toEqual([]);
    expect(receiver.spans.map(({ name }) => name)).toContain('GET /auth/me');
  },
);

tracedTest(
  'a path that matches no route, and a made-up method, are in no span',
  async ({ api, ana, receiver, traces }) => {
    await api.inject(ana, { url: '/planted-path?planted=query' });
    await traces.flush();
    expect(receiver.spans.map(({ name }) => name)).toContain('HTTP');
    expect(receiver.bodies.join('\n')).not.toContain('planted');
  },
);

tracedTest(
  'a request that its client gives up has its span, too',
  async ({ api, ana, receiver }) => {
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const address = api.app.server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const sessionId = await api.createSession(ana);
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const path = `/sessions/${sessionId}/messages/latest?since=2026-01-01T00:00:00Z&wait=20`;
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${ana.token}\r\ntraceparent: ${traceparent}\r\n\r\n`,
    );
    // Its statement is over: it waits now.
    await expect.poll(() => receiver.trace(TRACE_ID).map(({ kind }) => kind)).toContain(CLIENT);
    socket.destroy();
    await expect
      .poll(() => receiver.trace(TRACE_ID).find(({ kind }) => kind === SERVER))
      .toMatchObject({ name: 'GET /sessions/:sessionId/messages/latest', parentSpanId: SPAN_ID });
  },
);
