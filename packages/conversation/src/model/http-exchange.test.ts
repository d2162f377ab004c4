import { once } from 'node:events';
import { createServer, type LookupFunction } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readAnswer } from '../../testing/read-answer.ts';
import {
  fails,
  modelSettings,
  PLANTED_KEY,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';

/** Resolves every name to these addresses. */
function resolvesTo(...addresses: readonly string[]): LookupFunction {
  return (_, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

describe('a redirect', () => {
  test('to another host is refused: that host sees neither key nor words', async () => {
    await using other = await startScriptedModel(says('stolen'));
    const location = `${other.baseUrl}/chat/completions`;
    for (const status of [301, 302, 303, 307, 308]) {
      await using model = await startScriptedModel(fails(status, '', { location }));
      const { failure, text } = await readAnswer(model.settings);
      expect({ kind: failure?.kind, text }).toEqual({ kind: 'refused', text: '' });
      expect(model.requests).toHaveLength(1);
    }
    expect(other.requests).toEqual([]);
  });

  test('within the same origin is followed, with body and key', async () => {
    await using model = await startScriptedModel(
      fails(307, '', { location: '/v2/chat' }),
      fails(308, '', { location: '/v3/chat' }),
      says('Hello'),
    );
    expect((await readAnswer(model.settings)).text).toBe('Hello');
    const [first, , last] = model.requests;
    expect(last?.path).toBe('/v3/chat');
    expect(last?.headers.authorization).toBe(first?.headers.authorization);
    expect(last?.body).toEqual(first?.body);
  });

  test.each([
    ['in a circle', '/v1/chat/completions'],
    ['to no address', 'http://'],
    ['to another protocol', 'file:///etc/passwd'],
    ['to a link-local address', 'http://169.254.169.254/latest/meta-data/'],
  ])('%s is refused', async (_, location) => {
    await using model = await startScriptedModel(fails(307, '', { location }));
    expect((await readAnswer(model.settings)).failure?.kind).toBe('refused');
    expect(model.requests.length).toBeLessThanOrEqual(4);
  });

  test.each([301, 302, 303])(
    '%i, which would turn a POST into a GET, is refused',
    async (status) => {
      await using model = await startScriptedModel(
        fails(status, '', { location: '/v2' }),
        says('x'),
      );
      expect((await readAnswer(model.settings)).failure?.kind).toBe('refused');
      expect(model.requests).toHaveLength(1);
    },
  );
});

describe('a link-local address', () => {
  test.each(['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', 'fd00:ec2::254'])(
    '%s is refused when a name resolves to it',
    async (address) => {
      const settings = modelSettings({ baseUrl: 'http://model.example/v1' });
      const { failure } = await readAnswer(settings, {}, { lookup: resolvesTo(address) });
      expect(failure).toMatchObject({
        kind: 'refused',
        message: 'the endpoint has a link-local address, which is refused: check LLM_BASE_URL',
      });
    },
  );

  test('is refused among others, so that a name with two addresses opens nothing', async () => {
    await using model = await startScriptedModel(says('Hello'));
    const settings = { ...model.settings, baseUrl: `http://model.example:${model.port}/v1` };
    const lookup = resolvesTo('127.0.0.1', '169.254.169.254');
    expect((await readAnswer(settings, {}, { lookup })).failure?.kind).toBe('refused');
    expect(model.requests).toEqual([]);
  });

  test('is refused as it stands, without a resolver', async () => {
    const settings = modelSettings({ baseUrl: 'http://[fe80::1]/v1' });
    expect((await readAnswer(settings)).failure?.kind).toBe('refused');
  });

  test('any other address may be named', async () => {
    await using model = await startScriptedModel(says('Hello'));
    const settings = { ...model.settings, baseUrl: `http://model.example:${model.port}/v1` };
    const answer = await readAnswer(settings, {}, { lookup: resolvesTo('127.0.0.1') });
    expect(answer.text).toBe('Hello');
  });
});

test('https is spoken to an https address: an endpoint without it is unreachable, and sees no key', async () => {
  await using model = await startScriptedModel(says('Hello'));
  const settings = { ...model.settings, baseUrl: model.baseUrl.replace('http:', 'https:') };
  expect((await readAnswer(settings)).failure?.kind).toBe('unreachable');
  expect(model.requests).toEqual([]);
});

describe('a template without LLM_MODEL', () => {
  test('takes the only model that the endpoint offers, and asks once', async () => {
    await using model = await startScriptedModel(
      fails(200, { object: 'list', data: [{ id: 'llama-3', owned_by: 'me' }] }),
      says('Hello'),
    );
    expect((await readAnswer({ ...model.settings, model: undefined })).text).toBe('Hello');
    expect(model.requests.map(({ path }) => path)).toEqual(['/v1/models', '/v1/chat/completions']);
    expect(model.requests[1]?.body).toMatchObject({ model: 'llama-3' });
  });

  test('names the models when there are several', async () => {
    await using model = await startScriptedModel(
      fails(200, { data: [{ id: `a\n${PLANTED_KEY}` }, { id: 'c'.repeat(500) }] }),
    );
    const { failure } = await readAnswer({ ...model.settings, model: undefined });
    expect(failure).toMatchObject({
      kind: 'refused',
      message: `LLM_MODEL is needed, because the endpoint offers several: a ••••, ${'c'.repeat(99)}…`,
    });
  });

  test.each([
    ['an empty list', fails(200, { data: [] }), 'refused'],
    ['another shape', fails(200, '<html>'), 'refused'],
    ['a list without an end', fails(200, 'x'.repeat(2_000_000)), 'refused'],
    ['a wrong key', fails(401), 'refused'],
    ['a busy endpoint', fails(429), 'busy'],
    ['no such path', fails(404), 'refused'],
  ])('and with %s has no model', async (_, reply, kind) => {
    await using model = await startScriptedModel(reply);
    const { failure } = await readAnswer({ ...model.settings, model: undefined });
    expect(failure?.kind).toBe(kind);
  });
});

test('an answer that changes to another protocol is a failure', async () => {
  const answer =
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const server = createServer((socket) => socket.once('data', () => socket.write(answer)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { failure } = await readAnswer(modelSettings({ baseUrl: `http://127.0.0.1:${port}/v1` }));
  expect(failure?.kind).toBe('refused');
});
