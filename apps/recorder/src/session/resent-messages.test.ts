import { once } from 'node:events';
import * as db from '@session/db';
import {
  agentToken,
  joinRoom,
  openRoomService,
  packetPublicKey,
  packetVerifier,
  SentMessages,
} from '@session/media';
import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startRecorderProcess, tempFolder } from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';

/** Asks senders for missing messages, as an API process does when this is due. */
async function askForMissing({ database, media }: TestStage, sessionId: string): Promise<void> {
  await db.markFollowers(database, [sessionId]);
  const claims = await db.claimSequenceSessions(database, 60_000);
  await db.foldSequences(database, claims, 0);
  await database.sql`update sender_sequences set next_at = now() where next_at > now()`;
  const waits = { againMs: 0, lastMs: 60_000 };
  for (const { identity, q, missing } of await db.takeMissingNumbers(database, waits)) {
    const ns = missing.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    await openRoomService(media).askAgain(sessionId, identity ?? '', q, ns);
  }
}

/** Joins as an agent, which numbers what it says. */
async function joinNumbered({ media }: TestStage, sessionId: string) {
  const agent = { room: sessionId, role: 'echo-agent', agentId: uuidv7() };
  const { token } = await agentToken(media, agent);
  const isSigned = packetVerifier(packetPublicKey(media));
  const sent = new SentMessages((packet) => isSigned(sessionId, packet));
  const room = await joinRoom({ url: media.url, token, sent });
  /** Says something that is lost without an error, as happens while the media server restarts. */
  const sayInVain = (data: string) => {
    const id = uuidv7();
    const { seq, write, end } = sent.number('packet', id);
    write(JSON.stringify({ type: 'user_text', id, data, seq }));
    end();
  };
  return { room, sayInVain };
}

test('a recorder that was killed gets what was said meanwhile from its sender, under the same ids', async () => {
  await using programs = new AsyncDisposableStack();
  await using stage = await TestStage.open();
  const { database } = stage;
  const sessionId = await stage.createSession();
  const { folder } = programs.use(await tempFolder());
  const killed = programs.use(await startRecorderProcess(stage.env(folder)));
  const { room } = await joinNumbered(stage, sessionId);
  programs.use(room);
  const said = new Map<string, string>();
  const say = async (text: string) => said.set(await room.say(text), text);
  const stored = async () => {
    const rows = await database.sql<{ id: string; content: string }[]>`
      select id, content from messages where session_id = ${sessionId} and kind = 'text'`;
    return new Map(rows.map(({ id, content }) => [id, content]));
  };
  await until(async () => {
    await say(`word ${said.size}`);
    return (await stored()).size > 0;
  });
  const exit = once(killed.child, 'exit');
  killed.child.kill('SIGKILL');
  await exit;
  for (let count = 0; count < 20; count += 1) await say(`lost ${count}`);
  programs.use(await startRecorderProcess(stage.env(folder)));
  await until(async () => {
    await say(`later ${said.size}`);
    return [...(await stored()).values()].some((text) => text.startsWith('later'));
  });
  await until(async () => {
    await askForMissing(stage, sessionId);
    return (await stored()).size === said.size;
  });
  expect(await stored()).toEqual(said);
  await askForMissing(stage, sessionId);
  expect(await db.countMissingMessages(database, [sessionId])).toEqual([]);
  const resent = await database.sql`
    select from messages where session_id = ${sessionId} and metadata ? 'resent' and metadata ? 'spokenAt'`;
  expect(resent.length).toBeGreaterThanOrEqual(20);
});

test('a message that the database refuses is a gap and does not count as missing, even when its sender is gone', async () => {
  await using stage = await TestStage.open();
  const { database } = stage;
  await stage.record();
  const sessionId = await stage.recordedSession();
  await database.sql.unsafe(`
    alter table messages add constraint no_odd_words check (content <> 'odd')`);
  const { room } = await joinNumbered(stage, sessionId);
  for (const word of ['one', 'odd', 'two']) await room.say(word);
  await room.leave();
  await stage.historyWith(sessionId, ({ content }) => content === 'two');
  await until(async () =>
    (await db.listGaps(database, [sessionId])).some(({ reason }) => reason === 'refused'),
  );
  await db.markFollowers(database, [sessionId]);
  await db.foldSequences(database, await db.claimSequenceSessions(database, 60_000), 0);
  await until(async () => {
    const missing = await db.countMissingMessages(database, [sessionId]);
    return missing.length === 0;
  });
  const [sequence] = await database.sql`
    select heard::text from sender_sequences where session_id = ${sessionId}`;
  expect(sequence).toEqual({ heard: '{[1,4)}' });
});

test('what a sender said last and nobody received comes from a sender that stays, and counts as missing of one that left', async () => {
  await using stage = await TestStage.open();
  const { database } = stage;
  await stage.record();
  const sessionId = await stage.recordedSession();
  const [staying, leaving] = [
    await joinNumbered(stage, sessionId),
    await joinNumbered(stage, sessionId),
  ];
  await using _ = staying.room;
  await staying.room.say('heard');
  staying.sayInVain('asked for');
  await leaving.room.say('heard too');
  leaving.sayInVain('lost');
  await leaving.room.leave();
  await until(async () => {
    await askForMissing(stage, sessionId);
    return (await stage.history(sessionId)).some(({ content }) => content === 'asked for');
  });
  await until(async () => {
    await askForMissing(stage, sessionId);
    const missing = await db.countMissingMessages(database, [sessionId]);
    return missing.length === 1 && missing[0]?.count === 1;
  });
  expect(await db.countMissingMessages(database, [sessionId])).toEqual([
    { sessionId, identity: leaving.room.identity, count: 1 },
  ]);
});

test('the last number of a sender that left is stored after its messages, which a locked session keeps waiting', async () => {
  await using stage = await TestStage.open();
  const { database } = stage;
  const announcedWith = new Map<string, unknown>();
  const recorder = await stage.record({
    queries: {
      async noteLastNumbers(numbers) {
        for (const { sessionId, n } of numbers) {
          const texts = (await stage.history(sessionId)).filter(({ kind }) => kind === 'text');
          announcedWith.set(sessionId, { n, stored: texts.length });
        }
        await db.noteLastNumbers(database, numbers);
      },
    },
  });
  const [stuck, other] = [await stage.recordedSession(), await stage.recordedSession()];
  const leaving = await joinNumbered(stage, stuck);
  await leaving.room.say('one');
  await stage.historyWith(stuck, ({ content }) => content === 'one');
  await until(() => recorder.health().queueLength === 0);
  await using held = new AsyncDisposableStack();
  held.use(
    await holdLocks(
      stage.databaseUrl,
      async (sql) => await sql`select from session_heads where session_id = ${stuck} for update`,
    ),
  );
  await leaving.room.say('two');
  await until(() => recorder.health().queueLength > 0);
  await leaving.room.leave();
  const later = await joinNumbered(stage, other);
  await later.room.say('three');
  await later.room.leave();
  await until(() => announcedWith.has(other));
  await held.disposeAsync();
  await until(() => announcedWith.has(stuck));
  expect(announcedWith.get(stuck)).toEqual({ n: 2, stored: 2 });
});
