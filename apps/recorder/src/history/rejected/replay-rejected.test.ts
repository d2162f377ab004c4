import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  appendMessages,
  bind,
  closeRefusedGap,
  cutIntervals,
  endInterval,
  insertErasure,
  insertInterval,
  isIntervalEnded,
  listGaps,
  listMessagesWithoutRawId,
  openDatabase,
} from '@session/db';
import { StartError } from '@session/kit';
import { serviceProgram } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { textMessage } from '../../../testing/history-writer.ts';
import { tempFolder } from '../../../testing/recorder-process.ts';
import { TestStage, until } from '../../../testing/stage.ts';
import { loadConfig } from '../../config.ts';
import type { StorableMessage } from '../../message-path.ts';
import { tryLockFile } from '../../process/file-lock.ts';
import { findStored } from '../../session/missing-messages.ts';
import { RejectedFile } from './rejected-file.ts';
import { replayRejected } from './replay-rejected.ts';

const none = { stored: 0, refused: 0, deleted: 0, unreadable: 0, left: 0 };
const rejection = { code: '22P05', message: 'no' };

function depsOf(database: ReturnType<typeof openDatabase>, folder: string) {
  const queries = bind(database, { appendMessages, closeRefusedGap });
  const stored = bind(database, { isIntervalEnded, listMessagesWithoutRawId });
  const find = (messages: readonly StorableMessage[]) => findStored(messages, stored);
  return { folder, queries, findStored: find };
}

test('a refused message is a gap until the command stores it, at the end of the history, beside a running recorder', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const env = stage.env(temp.folder);
  const recorder = await stage.record({ config: loadConfig(env) });
  const sessionId = await stage.recordedSession();
  const { sql } = stage.database;
  await sql.unsafe(`
    alter table messages add constraint no_odd_words check (content <> 'odd')`);
  const ana = await stage.join(sessionId);
  await ana.say('before');
  const odd = await ana.say('odd');
  const after = await ana.say('after');
  await stage.historyWith(sessionId, ({ id }) => id === after);
  const reasons = async () =>
    (await listGaps(stage.database, [sessionId])).map(({ reason }) => reason);
  await until(async () => (await reasons()).includes('refused'));
  const gap = await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
  expect(gap.map(({ content }) => content)).not.toContain('odd');
  // On a busy machine, a flush is sent again before its answer arrives, so the message may be refused twice.
  const refused = Number(recorder.health().lost['refused']);
  expect([1, 2]).toContain(refused);
  expect(await replay(env)).toContain(`stored again 0 · refused again ${refused}`);
  await sql.unsafe('alter table messages drop constraint no_odd_words');
  expect(await replay(env)).toContain(`stored again ${refused} · refused again 0`);
  const history = await stage.historyWith(sessionId, ({ id }) => id === odd);
  expect(history.at(-1)).toMatchObject({ id: odd, content: 'odd' });
  expect(await reasons()).not.toContain('refused');
  expect(await replay(env)).toContain('stored again 0 · refused again 0');
});

test('lines that cannot be stored stay, lines that are appended meanwhile too, and others go', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const deps = depsOf(database, temp.folder);
  const { queries } = deps;
  const sessionId = await stage.createSession();
  const file = new RejectedFile(temp.folder);
  const poison = textMessage(sessionId, 'poison \0');
  const good = textMessage(sessionId, 'good');
  for (const queued of [poison, good, textMessage(uuidv7(), 'of no session'), '{"half']) {
    await file.append(queued, rejection);
  }
  await appendFile(path.join(temp.folder, 'rejected.jsonl'), 'no JSON\n');
  let isFirst = true;
  const counts = await replayRejected({
    ...deps,
    queries: {
      ...queries,
      async appendMessages(...append) {
        if (isFirst) await file.append('meanwhile', rejection);
        isFirst = false;
        return await queries.appendMessages(...append);
      },
    },
  });
  expect(counts).toEqual({ ...none, stored: 1, refused: 1, deleted: 1, unreadable: 2 });
  expect((await stage.history(sessionId)).map(({ content }) => content)).toEqual(['good']);
  const left = (await file.read()).map((line) =>
    line === 'no JSON' ? line : JSON.parse(line).rejected,
  );
  expect(left).toEqual([poison, '{"half', 'no JSON', 'meanwhile']);
  expect((await stat(path.join(temp.folder, 'rejected.jsonl'))).mode & 0o777).toBe(0o600);
});

test('a database that is away leaves all lines, and a second replay at the same time is refused', async () => {
  await using temp = await tempFolder();
  await using database = openDatabase('postgres://postgres@127.0.0.1:1/none', { connections: 1 });
  const { folder } = temp;
  const file = new RejectedFile(folder);
  for (const word of ['a', 'b']) await file.append(textMessage(uuidv7(), word), rejection);
  const before = await readFile(path.join(folder, 'rejected.jsonl'), 'utf8');
  const deps = depsOf(database, folder);
  expect(await replayRejected(deps)).toEqual({ ...none, left: 2 });
  expect(await readFile(path.join(folder, 'rejected.jsonl'), 'utf8')).toBe(before);
  await using lock = await tryLockFile(path.join(folder, 'replay.lock'));
  expect(lock).toBeDefined();
  await expect(replayRejected(deps)).rejects.toThrow(StartError);
});

test('after half a line, which a killed process or a full disk has left, the next message can be replayed', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const sessionId = await stage.createSession();
  const file = new RejectedFile(temp.folder);
  await appendFile(path.join(temp.folder, 'rejected.jsonl'), '{"at":"2026-11-21T08:00');
  await file.append(textMessage(sessionId, 'whole'), rejection);
  const deps = depsOf(database, temp.folder);
  expect(await replayRejected(deps)).toEqual({ ...none, stored: 1, unreadable: 1 });
  expect((await stage.history(sessionId)).map(({ content }) => content)).toEqual(['whole']);
});

test('a message that was erased since it was refused is not stored, although the clock of this machine is behind', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const sessionId = await stage.createSession();
  const [session] = await stage.database.sql<{ projectId: string; requestedBy: string }[]>`
    select project_id as "projectId", created_by as "requestedBy" from sessions`;
  if (!session) throw new Error('no session');
  const receivedAt = Date.now() + 60_000;
  const said = textMessage(sessionId, 'erased');
  const participant = { identity: 'ana', name: 'Ana', sid: null, kind: 'standard' } as const;
  const message = { ...said, metadata: { ...said.metadata, participant }, receivedAt };
  await new RejectedFile(temp.folder).append(message, rejection);
  const scope = { sessionId, messageIds: null, identity: 'ana', userId: null };
  await insertErasure(database, { id: uuidv7(), ...session, ...scope });
  await stage.database.sql`update erasures set requested_at = now() + interval '2 min'`;
  expect(await replayRejected(depsOf(database, temp.folder))).toEqual({ ...none, deleted: 1 });
  expect(await stage.history(sessionId)).toEqual([]);
});

test('a message whose sender has said something else under its id stays', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const said = textMessage(await stage.createSession(), 'said');
  const participant = { identity: 'ana', name: 'Ana', sid: null, kind: 'standard' } as const;
  const message = { ...said, metadata: { ...said.metadata, participant } };
  const deps = depsOf(database, temp.folder);
  await deps.queries.appendMessages([message]);
  await new RejectedFile(temp.folder).append({ ...message, content: 'other' }, rejection);
  const counts = await replayRejected(deps);
  expect(counts).toEqual({ ...none, refused: 1 });
});

test('a message that only the leader stores is stored, although the leader was killed later beside another recorder', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const sessionId = await stage.createSession();
  const [intervalId, other] = [uuidv7(), uuidv7()];
  const message = { ...textMessage(sessionId, 'odd'), intervalId };
  const fromAt = new Date(message.receivedAt - 1000).toISOString();
  for (const id of [intervalId, other]) {
    await insertInterval(database, { sessionId, id, recorderId: uuidv7(), fromAt });
  }
  const toAt = new Date(message.receivedAt + 1000).toISOString();
  await endInterval(database, { sessionId, id: intervalId, toAt, endReason: 'recorder_died' });
  await new RejectedFile(temp.folder).append(message, rejection);
  const counts = await replayRejected(depsOf(database, temp.folder));
  expect(counts).toEqual({ ...none, stored: 1 });
  expect((await stage.history(sessionId)).map(({ content }) => content)).toEqual(['odd']);
});

test('words that the next leader has stored soon are not stored again, and only as often as they were stored', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const deps = depsOf(database, temp.folder);
  const sessionId = await stage.createSession();
  const now = Date.now();
  const say = (content: string, agoMs: number) => ({
    ...textMessage(sessionId, content),
    receivedAt: now - agoMs,
  });
  const iso = (agoMs: number) => new Date(now - agoMs).toISOString();
  const open = async () => {
    const id = uuidv7();
    await insertInterval(database, { sessionId, id, recorderId: uuidv7(), fromAt: iso(60_000) });
    return id;
  };
  const [died, leads] = [await open(), await open()];
  const end = { sessionId, toAt: iso(1000), endReason: 'recorder_died' };
  await endInterval(database, { ...end, id: died });
  await deps.queries.appendMessages([say('yes', 0), say('no', 0)]);
  const file = new RejectedFile(temp.folder);
  // The interval of this message's leader did not end, so no other recorder has stored the message.
  await file.append({ ...say('no', 2000), intervalId: leads }, rejection);
  // The third message was refused twice. The message that was stored 50 s after it is another one.
  const refused = [say('yes', 10_000), say('yes', 3000), say('no', 50_000)];
  for (const message of [...refused, refused[2]]) {
    await file.append({ ...message, intervalId: died }, rejection);
  }
  expect(await replayRejected(deps)).toEqual({ ...none, stored: 5 });
  const contents = (await stage.history(sessionId)).map(({ content }) => content);
  expect(contents).toEqual(['yes', 'no', 'no', 'yes', 'no']);
  expect(await file.read()).toEqual([]);
});

test('the gap of two messages that were received in the same millisecond stays until both are stored', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const { sql } = stage.database;
  const sessionId = await stage.createSession();
  const recorderId = uuidv7();
  const receivedAt = Date.now() - 1000;
  const iso = (laterMs: number) => new Date(receivedAt + laterMs).toISOString();
  await insertInterval(database, { sessionId, id: uuidv7(), recorderId, fromAt: iso(-1000) });
  const cut = { sessionId, recorderId, from: iso(0), to: iso(1), endReason: 'refused' };
  await cutIntervals(database, cut);
  for (const content of ['said', 'odd']) {
    const message = { ...textMessage(sessionId, content), receivedAt };
    await new RejectedFile(temp.folder).append(message, rejection);
  }
  await sql.unsafe(`alter table messages add constraint no_odd_words check (content <> 'odd')`);
  const deps = depsOf(database, temp.folder);
  const countGaps = async () => (await listGaps(database, [sessionId])).length;
  expect(await replayRejected(deps)).toEqual({ ...none, stored: 1, refused: 1 });
  expect(await countGaps()).toBe(1);
  await sql.unsafe('alter table messages drop constraint no_odd_words');
  expect(await replayRejected(deps)).toEqual({ ...none, stored: 1 });
  expect(await countGaps()).toBe(0);
});

test('a StartError that names the folder when there is none', async () => {
  await using database = openDatabase('postgres://postgres@127.0.0.1:1/none', { connections: 1 });
  const replaying = replayRejected(depsOf(database, '/none'));
  await expect(replaying).rejects.toThrow(StartError);
  await expect(replaying).rejects.toThrow('/none');
});

test('without a file there is nothing to replay, and none is made', async () => {
  await using temp = await tempFolder();
  await using database = openDatabase('postgres://postgres@127.0.0.1:1/none', { connections: 1 });
  expect(await replayRejected(depsOf(database, temp.folder))).toEqual(none);
  await expect(stat(path.join(temp.folder, 'rejected.jsonl'))).rejects.toThrow('ENOENT');
  await writeFile(path.join(temp.folder, 'rejected.jsonl'), '');
  expect(await replayRejected(depsOf(database, temp.folder))).toEqual(none);
});

/** Runs the command, and returns what it prints. */
async function replay(env: NodeJS.ProcessEnv): Promise<string> {
  const child = fork(serviceProgram('recorder', 'replay-rejected'), {
    // Not a folder in which a developer may have an `.env`.
    cwd: tmpdir(),
    execArgv: [],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const output = child.stdout?.toArray();
  expect(await once(child, 'exit')).toEqual([0, null]);
  return (await output)?.join('') ?? '';
}
