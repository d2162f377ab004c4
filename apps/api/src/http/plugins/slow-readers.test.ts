import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ZodApp } from '../zod-app.ts';
import { cutSlowReaders } from './slow-readers.ts';

/** More than all buffers between the server and a client hold. */
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'x');

/** Starts a server whose readers must take 64 KiB within `withinMs`, and returns how to ask it. */
async function serve(routes: (app: ZodApp) => void, withinMs = 300) {
  const app = fastify({ forceCloseConnections: true }).withTypeProvider<ZodTypeProvider>();
  onTestFinished(() => app.close());
  const warn = vi.spyOn(app.log, 'warn');
  cutSlowReaders(app, { withinMs, bytes: 64 * 1024, everyMs: 50 });
  routes(app);
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (path: string): Promise<IncomingMessage> => {
    const [response] = await once(get(`${address}${path}`), 'response');
    return response;
  };
  return { ask, warn };
}

test.each([
  ['a text', () => LARGE.toString()],
  ['bytes', () => LARGE],
  ['a stream', () => Readable.from([LARGE.subarray(0, 65_536), LARGE])],
])('a reader that stops taking %s is cut off, and the log says so', async (_, answer) => {
  const { ask, warn } = await serve((app) => app.get('/', async () => answer()));
  const response = await ask('/');
  response.pause();
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  await expect(buffer(response)).rejects.toThrow('aborted');
});

test('a fast reader gets a long answer whole, with its length, also from HEAD', async () => {
  const { ask, warn } = await serve((app) => app.get('/', async () => LARGE));
  const response = await ask('/');
  expect(response.headers['content-length']).toBe(String(LARGE.length));
  expect((await buffer(response)).equals(LARGE)).toBe(true);
  expect(warn).not.toHaveBeenCalled();
});

test('a reader that takes a little all the time is not cut off, although the kernel hides it for a while', async () => {
  // Long enough that a busy machine does not slow this reader down below the limit.
  const withinMs = 3000;
  const { ask, warn } = await serve((app) => {
    app.get('/', async () => LARGE);
    app.get('/stop', async () => LARGE);
  }, withinMs);
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
