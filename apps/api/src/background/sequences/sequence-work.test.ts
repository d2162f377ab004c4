import { decodeNumbered } from '@session/contract/room';
import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTestWithMedia as test } from '../../../testing/api-test.ts';
import {
  joinNumbered,
  numberedHistory,
  recordNumbered,
  startSequenceWork,
} from '../../../testing/numbered-room.ts';

const WAIT = { timeout: 15_000, interval: 50 };

async function gapsOf({ sql }: db.DatabaseAccess, sessionId: string) {
  return [
    ...(await sql`
      select content, metadata ->> 'reason' as reason, metadata ->> 'identity' as identity,
        (metadata ->> 'count')::int as count, metadata -> 'missing' as missing
      from messages where session_id = ${sessionId} and kind = 'recording_gap'`),
  ];
}

/** Says these words in order. */
async function say(room: Awaited<ReturnType<typeof joinNumbered>>, ...words: string[]) {
  for (const word of words) await room.say(word);
}

test('what was said while both recorders were away is in the history, in its words, and no gap', async ({
  api,
  sessionId,
}) => {
  const { database } = api.deps;
  await using open = new AsyncDisposableStack();
  // An agent sends a message again at most once in 2 s, and is asked three times.
  open.use(startSequenceWork(database, { againMs: 2500, lastMs: 60_000 }));
  await using agent = await joinNumbered(sessionId);
  await say(agent, 'before the first recorder');
  {
    await using recorders = new AsyncDisposableStack();
    for (let count = 0; count < 2; count += 1) {
      recorders.use(await recordNumbered(database, sessionId));
    }
    await say(agent, 'heard by both');
    await expect.poll(() => numberedHistory(database, sessionId), WAIT).toHaveLength(2);
  }
  const text = await agent.openText('lk.chat');
  await text.write('said to ');
  await text.write('nobody');
  await text.end();
  await say(agent, 'nor this');
  open.use(await recordNumbered(database, sessionId));
  await say(agent, 'at last');
  await expect
    .poll(() => numberedHistory(database, sessionId), WAIT)
    .toEqual([
      '1 before the first recorder',
      '2 heard by both',
      '3 said to nobody',
      '4 nor this',
      '5 at last',
    ]);
  await expect.poll(() => db.countMissingMessages(database, [sessionId]), WAIT).toEqual([]);
  expect(await gapsOf(database, sessionId)).toEqual([]);
});

test('a text whose recorder was killed in the middle is completed under its id, once it has been said', async ({
  api,
  sessionId,
}) => {
  const { database } = api.deps;
  const history = () => numberedHistory(database, sessionId);
  await using open = new AsyncDisposableStack();
  open.use(startSequenceWork(database, { againMs: 2500, lastMs: 60_000 }));
  await using agent = await joinNumbered(sessionId);
  const text = await agent.openText('lk.chat');
  await text.write('half of it');
  open.use(await recordNumbered(database, sessionId));
  await say(agent, 'meanwhile');
  await expect.poll(history, WAIT).toHaveLength(1);
  const [meanwhile] = await database.sql<{ q: string; sender: string }[]>`
    select metadata #>> '{seq,q}' as q, metadata ->> 'participant' as sender
    from messages where session_id = ${sessionId} and metadata ? 'seq'`;
  if (!meanwhile) throw new Error('there is one');
  const { q } = meanwhile;
  // What the former recorder stored before it was killed.
  const part = {
    type: 'text_stream',
    topic: 'lk.chat',
    streamId: text.streamId,
    attributes: { 'session.seq': `${q}:1` },
    text: 'half of it',
    hasEnded: false,
    sentAt: null,
    sender: JSON.parse(meanwhile.sender),
    receivedAt: Date.now(),
  } as const;
  const decoded = decodeNumbered(part, { sessionId, newId: uuidv7 });
  if (decoded.outcome !== 'store') throw new Error('it is stored');
  await db.appendMessages(database, [decoded.message]);
  await db.markFollowers(database, [sessionId]);
  const find = async () => [
    ...(await database.sql`
      select id, status, content from messages where session_id = ${sessionId} and metadata #>> '{seq,n}' = '1'`),
  ];
  const { id } = decoded.message;
  expect(await find()).toEqual([{ id, status: 'pending', content: 'half of it' }]);
  await text.write(', and the rest');
  await text.end();
  await db.noteLastNumbers(database, [{ sessionId, identity: agent.identity, q, n: 2 }]);
  await expect
    .poll(find, WAIT)
    .toEqual([{ id, status: 'complete', content: 'half of it, and the rest' }]);
  await expect.poll(() => db.countMissingMessages(database, [sessionId]), WAIT).toEqual([]);
  expect(await gapsOf(database, sessionId)).toEqual([]);
});

test('what a killed sender said to nobody is declared as missing once, whoever asks, and nothing else is', async ({
  api,
  ana,
  sessionId,
}) => {
  const { database } = api.deps;
  const history = () => numberedHistory(database, sessionId);
  const agent = await joinNumbered(sessionId);
  const { identity } = agent;
  await say(agent, 'one', 'two');
  {
    await using _ = await recordNumbered(database, sessionId);
    await say(agent, 'three');
    await expect.poll(history, WAIT).toEqual(['3 three']);
  }
  await say(agent, 'four');
  {
    await using _ = await recordNumbered(database, sessionId);
    await say(agent, 'five');
    await expect.poll(history, WAIT).toEqual(['3 three', '5 five']);
  }
  await agent.leave();
  // Starts after the agent has left, because an agent that is asked sends missing messages again.
  await using open = new AsyncDisposableStack();
  for (let count = 0; count < 2; count += 1) open.use(startSequenceWork(database));
  await expect
    .poll(() => gapsOf(database, sessionId), WAIT)
    .toMatchObject([{ reason: 'missing_messages', count: 3 }]);
  const session = await api.inject(ana, { method: 'GET', url: `/sessions/${sessionId}` });
  expect(session.json().recording.missing).toEqual([{ identity, count: 3 }]);
  expect(await gapsOf(database, sessionId)).toMatchObject([{ identity, count: 3 }]);
  expect(await history()).toEqual(['3 three', '5 five']);
});
