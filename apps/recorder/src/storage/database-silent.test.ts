import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { withDeadline } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import { createDeps } from '../deps.ts';
import { Recorder } from '../recorder.ts';
import { FAST, TestStage, until } from '../test-recorder.ts';

test('a silent PostgreSQL keeps no recorder from ending in time, and what is not stored is counted', async () => {
  await using stage = await TestStage.open();
  await using way = await openWay(stage.databaseUrl);
  await using deps = createDeps(loadConfig({ ...stage.env(), DATABASE_URL: way.url }), uuidv7());
  await using cutting = new AsyncDisposableStack();
  cutting.defer(way.cut);
  const timing = { ...FAST, drainMs: 200, lastFlushMs: 200 };
  const recorder = await Recorder.start({ ...deps, timing });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.say('stored');
  await stage.historyWith(sessionId, ({ content }) => content === 'stored');
  way.freeze();
  await ana.say('heard');
  await until(() => recorder.health().queueLength === 1);
  await withDeadline(recorder.stop(new AbortController().signal), 20_000);
  expect(recorder.health().lost).toEqual({ refused: 0, shed: 0, unsaved: 1 });
});

/** A way to the database at `databaseUrl` that can fall silent: nothing passes any more, and nothing is refused. */
async function openWay(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((near) => {
    sockets.add(near.on('error', () => {}));
    if (isFrozen) return;
    const far = connect(Number(target.port), target.hostname);
    sockets.add(far.on('error', () => {}));
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(target);
  url.port = String(typeof address === 'object' ? address?.port : '');
  const cut = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  return {
    url: url.href,
    cut,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    [Symbol.asyncDispose]: cut,
  };
}
