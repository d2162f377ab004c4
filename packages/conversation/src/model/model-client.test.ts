import { describe, expect, test } from 'vitest';
import { readAnswer, readFrom } from '../../testing/read-answer.ts';
import {
  begin,
  fails,
  type Reply,
  says,
  send,
  sendWords,
  startScriptedModel,
  streams,
} from '../../testing/scripted-model.ts';
import { ModelClient } from './model-client.ts';

const breaks: Reply = (response) => void response.destroy();

test('an answer is streamed word by word, with the usage that the endpoint counted', async () => {
  await using model = await startScriptedModel(says('Good', ' morning', '.'));
  const answer = await readAnswer(model.settings);
  expect(answer).toMatchObject({
    text: 'Good morning.',
    usage: { promptTokens: 100, completionTokens: 10 },
    isCut: false,
    failure: undefined,
  });
  expect(model.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${model.settings.apiKey}` },
    body: {
      model: 'scripted',
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 800,
      messages: [{ role: 'user', content: 'Good morning' }],
    },
  });
});

test('fields of LLM_EXTRA_BODY are sent, and may set the limit in its older form', async () => {
  await using model = await startScriptedModel(says('Yes'));
  const extraBody = { reasoning_effort: 'low', max_tokens: 5 };
  await readAnswer({ ...model.settings, extraBody, temperature: 0.5 });
  const body = model.requests[0]?.body;
  expect(body).toMatchObject({ ...extraBody, temperature: 0.5 });
  expect(body).not.toHaveProperty('max_completion_tokens');
});

test('the key `local` is not sent', async () => {
  await using model = await startScriptedModel(says('Yes'));
  await readAnswer({ ...model.settings, apiKey: 'local' });
  expect(model.requests[0]?.headers).not.toHaveProperty('authorization');
});

describe('a failure without a word', () => {
  test.each([
    [401, 'refused', 1],
    [402, 'declined', 1],
    [403, 'refused', 1],
    [404, 'refused', 1],
    [400, 'declined', 1],
    [413, 'too_long', 1],
    [408, 'unreachable', 4],
    [429, 'busy', 4],
    [500, 'unreachable', 4],
    [502, 'unreachable', 4],
    [503, 'unreachable', 4],
  ])('HTTP %i is %s, after %i requests', async (status, kind, requests) => {
    await using model = await startScriptedModel(fails(status));
    const { failure, text } = await readAnswer(model.settings);
    expect({ kind: failure?.kind, text }).toEqual({ kind, text: '' });
    expect(model.requests).toHaveLength(requests);
  });

  test.each<[string, Reply, string, number]>([
    ['an empty answer', streams({}), 'faulty', 2],
    ['white space alone', says(' ', '\n'), 'faulty', 2],
    ['a thought alone', says('<think>', 'hm', '</think>'), 'faulty', 2],
    [
      'a page instead of a stream',
      fails(200, '<html>', { 'content-type': 'text/html' }),
      'unreachable',
      4,
    ],
    ['JSON of another sort', fails(200, []), 'faulty', 2],
    [
      'a chunk that is no JSON',
      (response) => {
        begin(response);
        response.end('data: {"choi\n\n');
      },
      'faulty',
      2,
    ],
    ['a connection that breaks', breaks, 'unreachable', 4],
    [
      'a stream that breaks',
      (response) => {
        begin(response);
        response.destroy();
      },
      'unreachable',
      4,
    ],
    [
      'a stream that ends too early',
      (response) => {
        begin(response);
        response.end();
      },
      'unreachable',
      4,
    ],
    [
      'an error in the stream',
      (response) => {
        begin(response);
        send(response, { error: { code: 500 } });
      },
      'unreachable',
      4,
    ],
    [
      'a limit in the stream',
      (response) => {
        begin(response);
        send(response, { error: { code: '429' } });
      },
      'busy',
      4,
    ],
  ])('%s is repeated as its kind asks', async (_, reply, kind, requests) => {
    await using model = await startScriptedModel(reply);
    const { failure } = await readAnswer(model.settings);
    expect(failure?.kind).toBe(kind);
    expect(model.requests).toHaveLength(requests);
  });

  test('a retry that succeeds leaves no trace in the answer', async () => {
    await using model = await startScriptedModel(fails(500), breaks, streams({}), says('Hello'));
    expect(await readAnswer(model.settings)).toMatchObject({ text: 'Hello', failure: undefined });
    expect(model.requests).toHaveLength(4);
  });

  test('nobody listens at the address: unreachable', async () => {
    const model = await startScriptedModel();
    await model[Symbol.asyncDispose]();
    expect((await readAnswer(model.settings)).failure?.message).toContain('ECONNREFUSED');
  });

  test('a name that does not resolve: unreachable', async () => {
    await using model = await startScriptedModel();
    const settings = { ...model.settings, baseUrl: 'http://model.invalid/v1' };
    const { failure } = await readAnswer(settings);
    expect(failure).toMatchObject({ kind: 'unreachable' });
  });
});

describe('a busy model', () => {
  test('is reported once, and asked again after Retry-After', async () => {
    await using model = await startScriptedModel(
      fails(429, {}, { 'retry-after': '0.05' }),
      fails(429, {}, { 'retry-after': new Date(Date.now() - 5000).toUTCString() }),
      says('Hello'),
    );
    using client = new ModelClient(model.settings);
    expect(await readFrom(client)).toMatchObject({ text: 'Hello', busy: 1, failure: undefined });
  });

  test('that wants more than 30 s is not waited for', async () => {
    await using model = await startScriptedModel(fails(429, {}, { 'retry-after': '31' }));
    using client = new ModelClient(model.settings);
    const answer = await readFrom(client);
    expect(answer).toMatchObject({ busy: 0, failure: { kind: 'busy', retryAfterMs: 31_000 } });
    expect(model.requests).toHaveLength(1);
  });
});

describe('an answer that breaks off after words', () => {
  test.each<[string, (response: Parameters<Reply>[0]) => void, string]>([
    ['by its connection', (response) => void response.destroy(), 'unreachable'],
    ['by its end', (response) => void response.end(), 'unreachable'],
    ['by an error', (response) => send(response, { error: { code: 503 } }), 'unreachable'],
    ['by nonsense', (response) => void response.end('data: nonsense\n\n'), 'faulty'],
  ])('%s keeps the words and is never repeated', async (_, breakOff, kind) => {
    await using model = await startScriptedModel(async (response) => {
      begin(response);
      sendWords(response, 'Good mor');
      await new Promise((resolve) => response.write(':\n\n', resolve));
      setTimeout(() => breakOff(response), 20);
    });
    expect(await readAnswer(model.settings)).toMatchObject({ text: 'Good mor', failure: { kind } });
    expect(model.requests).toHaveLength(1);
  });
});

function timerCount(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

test('a connection is used again, and 200 answers leave no timer behind', async () => {
  const ports = new Set<number | undefined>();
  await using model = await startScriptedModel((response, request) => {
    ports.add(response.req.socket.remotePort);
    return says('Yes')(response, request);
  });
  using client = new ModelClient(model.settings);
  for (let turn = 0; turn < 20; turn += 1) await readFrom(client);
  const before = timerCount();
  for (let turn = 0; turn < 180; turn += 1) await readFrom(client);
  expect(timerCount()).toBeLessThanOrEqual(before + 2);
  expect(ports.size).toBeLessThan(20);
});
