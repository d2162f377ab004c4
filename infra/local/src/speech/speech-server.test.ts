import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { joinSounds, silence, toWav } from '@session/testing';
import { describe, expect, test } from 'vitest';
import { python, type StubSpeech, startStubSpeech } from '../../testing/stub-speech.ts';

describe.skipIf(typeof python === 'string')('the speech server', () => {
  test('a foreign Host and the pages of a browser are refused, so that no web page uses the server', async () => {
    const { port } = await startStubSpeech();
    const health = async (headers: Record<string, string>) => await get(port, headers);
    expect(await health({ host: `127.0.0.1:${port}` })).toMatchObject({ status: 200 });
    expect(await health({ host: `localhost:${port}` })).toMatchObject({ status: 200 });
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', '127.0.0.1:1']) {
      expect(await health({ host })).toMatchObject({ status: 403, code: 'foreign_host' });
    }
    const host = `localhost:${port}`;
    for (const origin of ['http://evil.example', `http://${host}`, 'null']) {
      expect(await health({ host, origin })).toMatchObject({ status: 403, code: 'foreign_origin' });
    }
  });

  test('503 while the models are loaded', async () => {
    const server = await startStubSpeech({}, { isLoaded: false });
    const answer = await transcribe(server, silence(100));
    expect(await failure(answer)).toEqual([503, 'starting']);
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  test('words of audio come as JSON or as text, whether the length is sent before or not', async () => {
    const server = await startStubSpeech();
    const { byteLength } = toWav(silence(100));
    const answer = await transcribe(server, silence(100));
    expect(await answer.json()).toEqual({ text: `${byteLength} bytes` });
    const asText = await transcribe(server, silence(100), { response_format: 'text' });
    expect(await asText.text()).toBe(`${byteLength} bytes`);
    const form = new Response(formOf(toWav(silence(100)), {}));
    const type = form.headers.get('content-type') ?? '';
    const streamed = await fetch(`${urlOf(server)}/audio/transcriptions`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: form.body,
      duplex: 'half',
    });
    expect(await streamed.json()).toEqual({ text: `${byteLength} bytes` });
  });

  test('audio that is too large, too long, broken or of another language: each has its own code', async () => {
    const server = await startStubSpeech({ audio_bytes: 100_000, audio_seconds: 1 });
    const long = joinSounds(silence(1000), silence(1000));
    expect(await failure(await transcribe(server, long))).toEqual([413, 'audio_too_long']);
    expect(await failure(await transcribe(server, silence(3000)))).toEqual([413, 'body_too_large']);
    for (const bytes of [new Uint8Array(0), Buffer.from('RIFFxxxxWAVE'), Buffer.alloc(500, 7)]) {
      expect(await failure(await send(server, bytes))).toEqual([415, 'no_wav']);
    }
    expect(await failure(await transcribe(server, silence(100), { language: 'de' }))).toEqual([
      400,
      'language',
    ]);
    const noForm = await post(server, 'audio/transcriptions', 'text/plain', 'hello');
    expect(await failure(noForm)).toEqual([415, 'no_form']);
  });

  test('text that is too long, in another form, or none: each has its own code', async () => {
    const server = await startStubSpeech({ text_characters: 10, text_bytes: 1000 });
    const refusal = async (body: unknown, type = 'application/json') => {
      const json = typeof body === 'string' ? body : JSON.stringify(body);
      return await failure(await post(server, 'audio/speech', type, json));
    };
    expect(await refusal({ input: 'abcdefghijk' })).toEqual([413, 'text_too_long']);
    const large = { input: 'a', more: 'b'.repeat(2000) };
    expect(await refusal(large)).toEqual([413, 'body_too_large']);
    // A page of another origin may send plain text without asking first.
    expect(await refusal({ input: 'a' }, 'text/plain')).toEqual([415, 'no_json']);
    expect(await refusal('{"input":')).toEqual([400, 'no_json']);
    expect(await refusal([1])).toEqual([400, 'no_json']);
    expect(await refusal({ input: 7 })).toEqual([400, 'no_input']);
    expect(await refusal({ input: '  ' })).toEqual([400, 'no_input']);
    const mp3 = { input: 'a', response_format: 'mp3' };
    expect(await refusal(mp3)).toEqual([400, 'response_format']);
    for (const speed of [9, true, 'fast']) {
      expect(await refusal({ input: 'a', speed })).toEqual([400, 'speed']);
    }
  });

  test('the first sentence is sent while the second is made; a model that fails cuts the sound', async () => {
    const server = await startStubSpeech();
    const answer = await speak(server, 'One.|wait');
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('One.');
    server.release();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('wait');
    await expect((await speak(server, 'One.|fail')).text()).rejects.toThrow('terminated');
    expect(await failure(await speak(server, 'fail'))).toEqual([500, 'failed']);
    expect(server.output()).not.toContain('One.');
  });

  test('a client that still sends gets the refusal, not a broken connection', async () => {
    const server = await startStubSpeech({ audio_bytes: 1000 });
    const answer = await send(server, Buffer.alloc(20_000_000));
    expect(await failure(answer)).toEqual([413, 'body_too_large']);
  });

  test('requests above the limit get 429, and one that was given up makes room', async () => {
    const server = await startStubSpeech({ requests: 2 });
    const gone = new AbortController();
    const all = [1, 2, 3].map(async () => await speak(server, 'wait', gone.signal));
    expect(await failure(await Promise.race(all))).toEqual([429, 'too_many_requests']);
    expect((await transcribe(server, silence(100))).status).toBe(200);
    gone.abort();
    await Promise.allSettled(all);
    server.release();
    await expect.poll(async () => await (await speak(server, 'Four.')).text()).toBe('Four.');
  });

  test.each([
    ['arrives byte by byte', '1\r\na\r\n', [408, 'too_slow']],
    ['has a chunk of no size', '-1\r\n', [400, 'bad_chunk']],
  ])(
    'a body that %s is refused, and does not keep its place for ever',
    async (_, part, expected) => {
      const { port } = await startStubSpeech({ arrival_seconds: 0.2 });
      const socket = connect(port, '127.0.0.1');
      const head = `POST /v1/audio/speech HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`;
      socket.write(`${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
      const timer = setInterval(() => socket.write(part), 20);
      let answer = '';
      socket.on('error', () => {}).on('data', (bytes) => (answer += String(bytes)));
      const [status, code] = expected;
      await expect.poll(() => answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*${code}`));
      clearInterval(timer);
      socket.destroy();
    },
  );

  test('connections above the limit get 503, and silent ones are closed', async () => {
    const { port } = await startStubSpeech({ connections: 2, idle_seconds: 1 });
    const host = `127.0.0.1:${port}`;
    let silent: Socket[] = [];
    // On a busy machine the server may close the silent connections before the request arrives.
    const askBesideSilent = async () => {
      for (const socket of silent) socket.destroy();
      silent = [1, 2].map(() => connect(port, '127.0.0.1').on('error', () => {}));
      return await get(port, { host });
    };
    await expect.poll(askBesideSilent).toMatchObject({ status: 503, code: 'too_many_connections' });
    await expect.poll(async () => await get(port, { host })).toMatchObject({ status: 200 });
    for (const socket of silent) socket.destroy();
  });
});

function urlOf({ port }: StubSpeech): string {
  return `http://127.0.0.1:${port}/v1`;
}

async function transcribe(
  server: StubSpeech,
  sound: Parameters<typeof toWav>[0],
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await send(server, toWav(sound), fields);
}

async function send(
  server: StubSpeech,
  bytes: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = formOf(bytes, fields);
  return await fetch(`${urlOf(server)}/audio/transcriptions`, { method: 'POST', body });
}

function formOf(bytes: Uint8Array, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'whisper-1', ...fields }))
    form.set(name, value);
  form.set('file', new File([new Uint8Array(bytes)], 'audio.wav', { type: 'audio/wav' }));
  return form;
}

async function speak(server: StubSpeech, input: string, signal: AbortSignal | null = null) {
  const body = JSON.stringify({ input, response_format: 'pcm' });
  return await post(server, 'audio/speech', 'application/json', body, signal);
}

async function post(
  server: StubSpeech,
  path: string,
  type: string,
  body: string,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const headers = { 'content-type': type };
  return await fetch(`${urlOf(server)}/${path}`, { method: 'POST', headers, body, signal });
}

async function failure(answer: Response): Promise<unknown> {
  const body: { readonly error: { readonly code: string } } = JSON.parse(await answer.text());
  return [answer.status, body.error.code];
}

/** `fetch` sets the Host by itself. */
async function get(port: number, headers: Record<string, string>): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const asking = request({ port, host: '127.0.0.1', path: '/v1/models', headers, agent: false });
  asking.on('error', reject).on('response', (answer) => {
    text(answer).then(
      (body) => resolve({ status: answer.statusCode, ...JSON.parse(body).error }),
      reject,
    );
  });
  asking.end();
  return await promise;
}
