import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { endDeadIntervals, listCoverage, listGaps } from '@session/db';
import { repeat } from '@session/kit';
import { openRoomService } from '@session/media';
import { DatabaseProxy } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { addTestLeader, makeDead } from '../../testing/leader.ts';
import {
  health,
  readyStatus,
  startRecorderProcess,
  tempFolder,
} from '../../testing/recorder-process.ts';
import { FAST, TestStage, until } from '../../testing/stage.ts';
import { loadConfig } from '../config.ts';
import { createDeps } from '../deps.ts';
import { Recorder } from '../recorder.ts';

test('killed while PostgreSQL is away, and started again meanwhile: every received message is stored when it is back, and lies in no gap', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using databaseProxy = await DatabaseProxy.open(stage.databaseUrl);
  const env = { ...stage.env(temp.folder), DATABASE_URL: databaseProxy.url };
  const sessionId = await stage.createSession();
  const said: string[] = [];
  {
    await using program = await startRecorderProcess(env);
    await stage.untilRecording(sessionId);
    const ana = await stage.join(sessionId);
    said.push(await ana.say('stored'));
    await stage.historyWith(sessionId, ({ id }) => id === said[0]);
    await databaseProxy.refuseConnections();
    for (let number = 0; number < 50; number += 1) said.push(await ana.say(`heard ${number}`));
    await until(async () => Object(await health(program)).spool.messages === 50);
    // Not healthy, but ready: a recorder that is not ready would stop the rollout of the others.
    expect([(await health(program))['code'], await readyStatus(program)]).toEqual([503, 200]);
    // The file with the time until which everything is kept is written twice a second. Stored timestamps are the times
    // of receipt, raised by a millisecond where two are equal.
    const lastStoredAt = async () => (await lastSpooledAt(temp.folder)) + said.length;
    await until(async () => (await keptUntil(temp.folder)) > (await lastStoredAt()));
    const exit = once(program.child, 'exit');
    program.child.kill('SIGKILL');
    await exit;
  }
  const starting = startRecorderProcess(env);
  await databaseProxy.acceptConnections();
  await using stack = new AsyncDisposableStack();
  stack.use(await starting);
  const history = await stage.historyWith(sessionId, ({ id }) => id === said.at(-1));
  const words = history.filter(({ kind }) => kind === 'text');
  expect(words.map(({ id }) => id)).toEqual(said);
  await stage.untilRecording(sessionId);
  const gaps = await listGaps(stage.database, [sessionId]);
  const received = words.map(({ at }) => new Date(at).toISOString());
  expect(gaps.filter(({ from, to }) => received.some((at) => from < at && at < to))).toEqual([]);
});

test('the folder of a recorder that was removed: the process that gets it later stores its messages, once and in order', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using databaseProxy = await DatabaseProxy.open(stage.databaseUrl);
  const env = { ...stage.env(temp.folder), DATABASE_URL: databaseProxy.url };
  const sessionId = await stage.createSession();
  const ana = await stage.join(sessionId);
  const said: string[] = [];
  {
    await using program = await startRecorderProcess(env);
    await stage.untilRecording(sessionId);
    said.push(await ana.say('stored'));
    await stage.historyWith(sessionId, ({ id }) => id === said[0]);
    // Ana was in the room before, so only her messages follow the row of that gap.
    await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
    await databaseProxy.refuseConnections();
    for (let number = 0; number < 20; number += 1) said.push(await ana.say(`kept ${number}`));
    await until(async () => Object(await health(program)).spool.messages === 20);
    const exit = once(program.child, 'exit');
    program.child.kill('SIGKILL');
    await exit;
  }
  const removed = (await stage.slot(sessionId))?.recorder_id ?? '';
  await makeDead(stage, removed);
  await stage.record();
  await until(async () => {
    const slot = await stage.slot(sessionId);
    return slot?.recorder_id !== removed && slot?.status === 'recording';
  });
  const later = await ana.say('later');
  await stage.historyWith(sessionId, ({ id }) => id === later);
  await databaseProxy.acceptConnections();
  await using _ = await startRecorderProcess(env);
  const history = await stage.historyWith(sessionId, ({ id }) => id === said.at(-1));
  const words = history.filter(({ kind }) => kind === 'text').map(({ id }) => id);
  expect(words.filter((id) => id !== later)).toEqual(said);
  expect(words).toHaveLength(said.length + 1);
});

test('PostgreSQL away while 600 messages are said, 200 a second at most: few wait in memory, and all are stored, in order', async () => {
  await using stage = await TestStage.open();
  await using databaseProxy = await DatabaseProxy.open(stage.databaseUrl);
  await using deps = createDeps(
    loadConfig({ ...stage.env(), DATABASE_URL: databaseProxy.url }),
    uuidv7(),
  );
  await using recorder = await Recorder.start({ ...deps, timing: FAST });
  const sessions = [await stage.recordedSession(), await stage.recordedSession()];
  const talkers = await Promise.all(sessions.map((sessionId) => stage.join(sessionId)));
  const said: string[][] = sessions.map(() => []);
  await databaseProxy.refuseConnections();
  let inMemory = 0;
  const enough = new AbortController();
  await repeat(10, enough.signal, async () => {
    const ids = await Promise.all(talkers.map((talker) => talker.say('x'.repeat(100))));
    for (const [index, id] of ids.entries()) said[index]?.push(id);
    const { queueLength, spool } = recorder.health();
    inMemory = Math.max(inMemory, queueLength - spool.messages);
    if (said[0]?.length === 300) enough.abort();
  });
  await until(() => recorder.health().database === 'unavailable');
  expect(recorder.health()).toMatchObject({ spool: { isOk: true } });
  await databaseProxy.acceptConnections();
  for (const [index, sessionId] of sessions.entries()) {
    const ids = said[index] ?? [];
    const history = await stage.historyWith(sessionId, ({ id }) => id === ids.at(-1));
    expect(history.filter(({ kind }) => kind === 'text').map(({ id }) => id)).toEqual(ids);
  }
  expect(inMemory).toBeLessThan(200);
  await until(() => recorder.health().queueLength === 0);
  expect(recorder.health()).toMatchObject({ lost: { refused: 0, shed: 0, unsaved: 0 } });
});

test('messages that are lost because too many wait leave a gap in the coverage', async () => {
  await using stage = await TestStage.open();
  await using databaseProxy = await DatabaseProxy.open(stage.databaseUrl);
  const env = { ...stage.env(), DATABASE_URL: databaseProxy.url };
  const config = { ...loadConfig(env), spoolBytes: 20_000 };
  await using deps = createDeps(config, uuidv7());
  await using recorder = await Recorder.start({ ...deps, timing: FAST });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.say('stored');
  await stage.historyWith(sessionId, ({ content }) => content === 'stored');
  await databaseProxy.refuseConnections();
  await until(async () => {
    await ana.say('x'.repeat(1000));
    return recorder.health().lost['shed'] !== 0;
  });
  const last = await ana.say('last');
  await databaseProxy.acceptConnections();
  await stage.historyWith(sessionId, ({ id }) => id === last);
  await until(() => recorder.health().queueLength === 0);
  const [first, gap, ...rest] = await listCoverage(stage.database, [sessionId]);
  expect([first, gap]).toMatchObject([{ what: 'coverage' }, { reason: 'storage_full' }]);
  expect(rest.at(-1)).toMatchObject({ what: 'coverage' });
});

test.each([
  { what: 'is back when the next recorder starts', isDeclaredDead: false },
  { what: 'is back for others first: it counts as dead', isDeclaredDead: true },
])(
  'stopped while PostgreSQL is away, which $what: covered until it left the room, whether messages wait or not',
  async ({ isDeclaredDead }) => {
    await using temp = await tempFolder();
    await using stage = await TestStage.open();
    await using databaseProxy = await DatabaseProxy.open(stage.databaseUrl);
    const config = loadConfig({ ...stage.env(temp.folder), DATABASE_URL: databaseProxy.url });
    await using deps = createDeps(config, uuidv7());
    // `lastFlushMs`: how long the recorder waits for the database after it has left the rooms.
    const timing = { ...FAST, drainMs: 1000, lastFlushMs: 500 };
    await using recorder = await Recorder.start({ ...deps, timing });
    const [talking, silent] = [await stage.recordedSession(), await stage.recordedSession()];
    const ana = await stage.join(talking);
    await stage.historyWith(talking, ({ kind }) => kind === 'participant_joined');
    await databaseProxy.refuseConnections();
    await ana.say('kept');
    await until(() => recorder.health().spool.messages === 1);

    const stoppedAt = Date.now();
    const stopping = recorder.stop(new AbortController().signal);
    const rooms = openRoomService(stage.media);
    await until(async () => {
      const present = await Promise.all([talking, silent].map((id) => rooms.listParticipants(id)));
      return present.flat().every(({ identity }) => identity === ana.identity);
    });
    const leftAt = Date.now();
    await stopping;
    if (isDeclaredDead) {
      await makeDead(stage, recorder.health().recorderId);
      await endDeadIntervals(stage.database);
    }
    await databaseProxy.acceptConnections();
    await using _ = await Recorder.start({ ...deps, timing });
    const ends = await stage.database.sql<{ at: number }[]>`
    select (extract(epoch from to_at) * 1000)::float8 as at from recording_intervals where to_at is not null`;
    expect(ends).toHaveLength(2);
    for (const { at } of ends) {
      // The recorder's clock may be a millisecond behind.
      expect(at).toBeGreaterThanOrEqual(stoppedAt - 1);
      expect(at).toBeLessThanOrEqual(leftAt);
    }
  },
);

test('a standby that is stopped while PostgreSQL is away covers no time from the first message on that it kept for the leader', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using databaseProxy = await DatabaseProxy.open(stage.databaseUrl);
  const config = loadConfig({ ...stage.env(temp.folder), DATABASE_URL: databaseProxy.url });
  await using deps = createDeps(config, uuidv7());
  const sessionId = await stage.createSession({ isNotified: false });
  await addTestLeader(stage, sessionId);
  const timing = { ...FAST, overtakeMs: 100, drainMs: 1000, lastFlushMs: 500 };
  await using standby = await Recorder.start({ ...deps, timing });
  await stage.untilRecording(sessionId);
  const speaker = await stage.joinAsForeigner(sessionId);
  await speaker.setAttributes({ known: 'by now' });
  await databaseProxy.refuseConnections();
  // Any recorder stores the message with an id. Only the leader stores the message without one.
  for (const id of [undefined, uuidv7()]) {
    const packet = JSON.stringify({ type: 'user_text', data: 'hello', id });
    await speaker.publishData(new TextEncoder().encode(packet), { reliable: true });
  }
  await until(() => standby.health().spool.messages > 0);
  await standby.stop(new AbortController().signal);
  const coveredUntil = await keptUntil(temp.folder);
  expect(coveredUntil).toBeGreaterThan(0);
  // Both times are by the recorder's clock. The message with an id was received after the other.
  expect(coveredUntil).toBeLessThanOrEqual(await lastSpooledAt(temp.folder));
});

/** Returns until when the recorder kept everything, by the file in its folder; in milliseconds since the epoch. */
async function keptUntil(folder: string): Promise<number> {
  const text = await readFile(path.join(folder, 'kept-intervals.json'), 'utf8').catch(() => '[]');
  return Date.parse(JSON.parse(text)[0]?.keptUntil ?? 0);
}

/** Returns when the last message in the spool was received. */
async function lastSpooledAt(folder: string): Promise<number> {
  const [name = ''] = (await readdir(path.join(folder, 'spool'))).toReversed();
  const lines = (await readFile(path.join(folder, 'spool', name), 'utf8')).trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '').receivedAt;
}
