import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import type { ZodApp } from '../zod-app.ts';
import { cutSlowReaders } from './slow-readers.ts';

/** More than all buffers between the server and a client hold. */
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'x');

const LIMITS = { withinMs: 300, bytes: 64 * 1024, everyMs: 50, heldBytes: 4 * LARGE.length };

/** Starts a server whose readers must take 64 KiB within 300 ms, and returns how to ask it. */
async function serve(routes: (app: ZodApp) => void, limits = LIMITS) {
  const app = fastify({ forceCloseConnections: true }).withTypeProvider<ZodTypeProvider>();
  onTestFinished(() => app.close());
  const warn = vi.spyOn(app.log, 'warn');
  const metrics = createMetrics();
  cutSlowReaders(app, metrics, limits);
  routes(app);
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (path: string): Promise<IncomingMessage> => {
    const [response] = await once(get(`${address}${path}`), 'response');
    return response;
  };
  const metric = async (line: string) => (await metrics.registry.metrics()).includes(`${line}\n`);
  return { address, ask, metric, warn };
}

test.each([
  ['a text', () => LARGE.toString()],
  ['bytes', () => LARGE],
  ['a stream', () => Readable.from([LARGE.subarray(0, 65_536), LARGE])],
])('a reader that stops taking %s is cut off, and the log says so', async (_, answer) => {
  const { ask, metric, warn } = await serve((app) => app.get('/', async () => answer()));
  const response = await ask('/');
  response.pause();
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  await expect(buffer(response)).rejects.toThrow('aborted');
  expect(await metric('session_readers_cut_total{reason="slow"} 1')).toBe(true);
  await expect.poll(() => metric('session_held_answer_bytes 0')).toBe(true);
});

/** Long enough that nobody is cut off for being slow alone. */
const PATIENT = { ...LIMITS, withinMs: 60_000 };

test.each([
  ['bytes', () => Buffer.from(LARGE)],
  ['a stream', () => Readable.from([Buffer.from(LARGE), Buffer.from(LARGE)])],
])(
  'when many readers hold %s, the slowest are cut off, and what is held stays bounded',
  async (_, answer) => {
    const { ask, metric, warn } = await serve((app) => {
      app.get('/', async () => answer());
    }, PATIENT);
    const first = await ask('/');
    first.pause();
    // While the buffers of the connection fill, the first reader still takes bytes.
    let taken = -1;
    const isStill = () => {
      const before = taken;
      taken = first.socket.bytesRead;
      return taken === before;
    };
    await expect.poll(isStill, { interval: 200 }).toBe(true);
    const others = await Promise.allSettled(Array.from({ length: 6 }, () => ask('/')));
    await expect.poll(() => warn.mock.calls.length).toBe(3);
    expect(await metric('session_readers_cut_total{reason="memory"} 3')).toBe(true);
    expect(await metric(`session_held_answer_bytes ${PATIENT.heldBytes}`)).toBe(true);
    const sizeOfFirst = buffer(first).then(({ length }) => length);
    await expect(sizeOfFirst).rejects.toThrow('aborted');
    for (const other of others) if (other.status === 'fulfilled') other.value.destroy();
    await expect.poll(() => metric('session_held_answer_bytes 0')).toBe(true);
  },
);

test('one connection that asks for many answers at once is cut off, and holds nothing any more', async () => {
  const cut = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  let answers = 0;
  const { address, metric, warn } = await serve((app) => {
    app.get('/', async () => {
      answers += 1;
      // Some are ready only when nobody takes them any more.
      if (answers > 40) await cut.promise;
      if (answers === 50) setImmediate(late.resolve);
      return Buffer.from(LARGE);
    });
  }, PATIENT);
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).pause();
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(50));
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  cut.resolve();
  await late.promise;
  await expect.poll(() => metric('session_held_answer_bytes 0')).toBe(true);
});

test('readers that share an answer hold it once', async () => {
  const { ask, metric, warn } = await serve((app) => app.get('/', async () => LARGE), PATIENT);
  const readers = await Promise.all(Array.from({ length: 9 }, () => ask('/')));
  expect(await metric(`session_held_answer_bytes ${LARGE.length}`)).toBe(true);
  const bodies = await Promise.all(readers.map((reader) => buffer(reader)));
  expect(bodies.every((body) => body.equals(LARGE))).toBe(true);
  expect(warn).not.toHaveBeenCalled();
});

/** Long enough that a busy machine slows no reader down below the limit. */
const WITHIN_3_S = { ...LIMITS, withinMs: 3000 };

test('a fast reader gets a long answer whole, with its length, also from HEAD', async () => {
  const { ask, warn } = await serve((app) => app.get('/', async () => LARGE), WITHIN_3_S);
  const response = await ask('/');
  expect(response.headers['content-length']).toBe(String(LARGE.length));
  expect((await buffer(response)).equals(LARGE)).toBe(true);
  expect(warn).not.toHaveBeenCalled();
});

test('a reader that takes a little all the time is not cut off, although the kernel hides it for a while', async () => {
  const { ask, warn } = await serve((app) => {
    app.get('/', async () => LARGE);
    app.get('/stop', async () => LARGE);
  }, WITHIN_3_S);
  const response = await ask('/');
  let taken = 0;
  const reading = (async () => {
    for await (const chunk of response) {
      taken += chunk.length;
      await sleep(60);
    }
  })();
  (await ask('/stop')).pause();
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  expect(taken).toBeLessThan(LARGE.length / 2);
  response.destroy();
  await reading.catch(() => {});
  expect(warn).toHaveBeenCalledOnce();
});

test('who waits for an answer, or follows what seldom says something, is not a slow reader', async () => {
  const answered = Promise.withResolvers<string>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { ask, warn } = await serve((app) => {
    app.get('/wait', async () => await answered.promise);
    app.get('/follow', async () =>
      Readable.from(
        (async function* () {
          yield 'one, ';
          await ended;
          yield 'two';
        })(),
      ),
    );
    app.get('/stop', async () => LARGE);
  });
  const waiting = ask('/wait');
  const following = await ask('/follow');
  // When this reader was cut off, the others had the same time.
  const stopped = await ask('/stop');
  stopped.pause();
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  answered.resolve('news');
  end();
  expect(String(await buffer(await waiting))).toBe('news');
  expect(String(await buffer(following))).toBe('one, two');
  expect(warn).toHaveBeenCalledOnce();
});
