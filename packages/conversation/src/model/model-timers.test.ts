import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readAnswer, readFrom } from '../../testing/read-answer.ts';
import {
  begin,
  fails,
  finish,
  type Reply,
  send,
  sendWords,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import { ModelClient } from './model-client.ts';

afterEach(() => {
  // The spy wraps the fake timer, so it is restored first. Otherwise the fake timer would stay for all files of this worker.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Makes the client's time pass only when the test advances it. Sockets still work. Returns the spy on `setTimeout`. */
function fakeTimers() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  return vi.spyOn(globalThis, 'setTimeout');
}

describe('our own timers', () => {
  test('no first token: the request is aborted, and not repeated', async () => {
    fakeTimers();
    await using model = await startScriptedModel((response) => {
      begin(response);
      vi.advanceTimersByTime(30_000);
    });
    const { failure } = await readAnswer({ ...model.settings, firstTokenMs: 30_000 });
    expect(failure).toMatchObject({
      kind: 'stalled',
      message: 'the model stalled: no first token',
    });
    expect(model.requests).toHaveLength(1);
    const [request] = model.requests;
    if (!request?.gone.aborted) await once(request?.gone ?? new EventTarget(), 'abort');
  });

  test('no response at all: the same', async () => {
    await using model = await startScriptedModel(() => {});
    const { failure } = await readAnswer({ ...model.settings, firstTokenMs: 100 });
    expect(failure?.kind).toBe('stalled');
  });

  test.each<[string, (response: Parameters<Reply>[0]) => void]>([
    [
      'an opening chunk without content',
      (response) => send(response, { choices: [{ delta: { role: 'assistant', content: '' } }] }),
    ],
    [
      'a comment that keeps the connection alive',
      (response) => void response.write(': processing\n\n'),
    ],
  ])('%s is no first token', async (_, keepAlive) => {
    await using model = await startScriptedModel((response, { gone }) => {
      begin(response);
      const timer = setInterval(() => keepAlive(response), 20);
      gone.addEventListener('abort', () => clearInterval(timer));
    });
    const { failure } = await readAnswer({ ...model.settings, firstTokenMs: 150, idleMs: 50 });
    expect(failure?.message).toBe('the model stalled: no first token');
  });

  test('silence between tokens: what was said stands', async () => {
    await using model = await startScriptedModel((response) => {
      begin(response);
      sendWords(response, 'Good');
    });
    const answer = await readAnswer({ ...model.settings, idleMs: 100 });
    expect(answer).toMatchObject({
      text: 'Good',
      failure: { kind: 'stalled', message: 'the model stalled: silence between two tokens' },
    });
  });

  test('a model that reasons for a minute is not silent', async () => {
    const armed = fakeTimers();
    await using model = await startScriptedModel(async (response) => {
      begin(response);
      for (let token = 0; token < 60; token += 1) {
        const field = token % 2 === 0 ? 'reasoning_content' : 'reasoning';
        const before = armed.mock.calls.length;
        send(response, { choices: [{ delta: { [field]: 'hm' } }] });
        // The client has started its next wait. If it reads a token late, 2 × 999 ms pass between two reads, and 2,000
        // ms are allowed.
        while (armed.mock.calls.length === before && !response.destroyed) await nextTurn();
        vi.advanceTimersByTime(999);
      }
      sendWords(response, 'Yes');
      finish(response);
    });
    const settings = { ...model.settings, firstTokenMs: 30_000, idleMs: 2000 };
    expect(await readAnswer(settings)).toMatchObject({ text: 'Yes', failure: undefined });
  });

  test('a reader that takes its time is no silence', async () => {
    fakeTimers();
    await using model = await startScriptedModel(async (response) => {
      begin(response);
      for (const word of ['a', 'b', 'c']) {
        sendWords(response, word);
        await nextTurn();
      }
      finish(response);
    });
    using client = new ModelClient({ ...model.settings, idleMs: 1500 });
    const { signal } = new AbortController();
    let text = '';
    for await (const output of client.stream({ messages: [] }, signal)) {
      if (output.type !== 'text') continue;
      text += output.text;
      vi.advanceTimersByTime(1600);
    }
    expect(text).toBe('abc');
  });
});

describe('an abort', () => {
  test('ends the request at once, and nothing that had arrived is shown after it', async () => {
    await using model = await startScriptedModel(async (response) => {
      begin(response);
      const words = ['a', 'b', 'c', 'd'].map((content) => ({ choices: [{ delta: { content } }] }));
      response.write(words.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
    });
    using client = new ModelClient(model.settings);
    const controller = new AbortController();
    let text = '';
    const reading = async () => {
      for await (const output of client.stream({ messages: [] }, controller.signal)) {
        if (output.type === 'text') text += output.text;
        controller.abort(new Error('interrupted'));
      }
    };
    await expect(reading()).rejects.toThrow('interrupted');
    expect(text).toBe('a');
    const [request] = model.requests;
    if (!request?.gone.aborted) await once(request?.gone ?? new EventTarget(), 'abort');
  });

  test('cuts the pause before a retry short', async () => {
    await using model = await startScriptedModel(fails(429, {}, { 'retry-after': '29' }));
    using client = new ModelClient(model.settings);
    const controller = new AbortController();
    const reading = readFrom(client, {}, controller.signal);
    await expect.poll(() => model.requests.length).toBe(1);
    controller.abort(new Error('interrupted'));
    expect((await reading).failure).toMatchObject({ message: 'interrupted' });
  });

  test('a reader that leaves ends the request, too', async () => {
    await using model = await startScriptedModel((response) => {
      begin(response);
      sendWords(response, 'Good');
    });
    using client = new ModelClient(model.settings);
    const { signal } = new AbortController();
    for await (const output of client.stream({ messages: [] }, signal)) {
      if (output.type === 'text') break;
    }
    await expect.poll(() => model.requests[0]?.gone.aborted).toBe(true);
  });
});
