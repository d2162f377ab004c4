import { conflictIdOf } from '@session/contract/room';
import * as fc from 'fast-check';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import type { NewMessageRow } from '../../schema/messages.ts';
import { appendMessages } from './append-messages.ts';

const USER = `user-${uuidv4()}`;

/** Returns the stored messages of a session by their ids. */
async function rowsOf(project: TestProject, sessionId: string) {
  const rows = await project.sql<{ id: string; content: string; metadata: string }[]>`
    select id, content, metadata from messages where session_id = ${sessionId} order by "timestamp"`;
  return rows.map(({ id, content, metadata }) => {
    const { participant, idConflict = false, rawId } = JSON.parse(metadata);
    return { id, content, sender: participant?.identity ?? null, idConflict, rawId };
  });
}

function said(sessionId: string, id: string, identity: string | null, content: string) {
  const participant = identity === null ? null : { identity };
  return typedText(sessionId, { id, content, metadata: { participant, rawId: id } });
}

const alone = (row: NewMessageRow) => [[row]];

test.each([
  ['one by one', (rows: readonly NewMessageRow[]) => rows.flatMap(alone)],
  ['in one batch', (rows: readonly NewMessageRow[]) => [rows]],
])(
  'messages of different senders under one id, %s, are all stored once, and the first keeps the id',
  async (_, batchesOf) => {
    await using project = await createTestProject();
    const [sessionId, id] = [await project.newSession(), uuidv7()];
    const rows = [
      said(sessionId, id, `${USER}-0a1b2c`, 'mine'),
      said(sessionId, id, 'agent-1', 'no, mine'),
      said(sessionId, id, null, 'nobody knows'),
      said(sessionId, id, null, 'nobody either'),
    ];
    const again = [said(sessionId, id, USER, 'mine'), said(sessionId, id, null, 'mine')];
    for (const turn of ['first', 'again']) {
      let [stored, conflicts] = [0, 0];
      for (const batch of batchesOf([...rows, ...again])) {
        const counts = await appendMessages(project, batch);
        expect(counts.ignored).toEqual([]);
        stored += counts.stored;
        conflicts += counts.conflicts;
      }
      expect([turn, stored, conflicts]).toEqual(turn === 'first' ? [turn, 4, 3] : [turn, 0, 0]);
    }
    const own = (sender: string | null, content: string) =>
      conflictIdOf(sessionId, id, { sender, content });
    expect(await rowsOf(project, sessionId)).toEqual([
      { id, content: 'mine', sender: `${USER}-0a1b2c`, idConflict: false, rawId: id },
      {
        id: own('agent-1', ''),
        content: 'no, mine',
        sender: 'agent-1',
        idConflict: true,
        rawId: id,
      },
      {
        id: own(null, 'nobody knows'),
        content: 'nobody knows',
        sender: null,
        idConflict: true,
        rawId: id,
      },
      {
        id: own(null, 'nobody either'),
        content: 'nobody either',
        sender: null,
        idConflict: true,
        rawId: id,
      },
    ]);
  },
);

const [BY_ROOM, BY_API, ECHO] = [`${USER}-0a1b2c`, USER, null];

test.each([
  ['room, API', [BY_ROOM, BY_API]],
  ['API, echo, room', [BY_API, ECHO, BY_ROOM]],
  ['API, room, echo', [BY_API, BY_ROOM, ECHO]],
])(
  'a message whose id is taken is stored once by %s, in one batch or one by one',
  async (_, ways) => {
    await using project = await createTestProject();
    for (const isOneBatch of [true, false]) {
      const [sessionId, id] = [await project.newSession(), uuidv7()];
      const rows = ways.map((identity) => said(sessionId, id, identity, 'mine'));
      await appendMessages(project, [said(sessionId, id, 'agent-1', 'taken')]);
      for (const batch of isOneBatch ? [rows] : rows.map((row) => [row])) {
        await appendMessages(project, batch);
      }
      const stored = await rowsOf(project, sessionId);
      expect(stored).toMatchObject([
        { id, content: 'taken' },
        { content: 'mine', sender: ways[0] },
      ]);
    }
  },
);

test('two senders who say the same words under one id are two messages, complete or pending', async ({
  project,
}) => {
  for (const status of ['complete', 'pending'] as const) {
    const [sessionId, id] = [await project.newSession(), uuidv7()];
    for (const sender of ['ana', 'ben', 'ana']) {
      await appendMessages(project, [{ ...said(sessionId, id, sender, 'yes'), status }]);
    }
    expect(await rowsOf(project, sessionId)).toMatchObject([
      { sender: 'ana', idConflict: false },
      { sender: 'ben', idConflict: true },
    ]);
  }
});

test.each([
  ['an event', null],
  ['a pending text', 'pending'],
] as const)(
  '%s of an unknown sender under a taken id is stored under a name of its own, in either order',
  async (_, status) => {
    await using project = await createTestProject();
    for (const senders of [
      ['ana', null],
      [null, 'ana'],
      [null, null],
    ]) {
      const [sessionId, id] = [await project.newSession(), uuidv7()];
      for (const [index, sender] of senders.entries()) {
        const row = { ...said(sessionId, id, sender, `${index}`), status };
        expect(await appendMessages(project, [row])).toMatchObject({ stored: 1, conflicts: index });
      }
      expect(await rowsOf(project, sessionId)).toMatchObject([
        { id, content: '0', idConflict: false },
        { content: '1', idConflict: true },
      ]);
    }
  },
);

test('nobody but its sender completes a pending message', async ({ project }) => {
  const [sessionId, id] = [await project.newSession(), uuidv7()];
  const pending = { ...said(sessionId, id, 'ana', 'I th'), status: 'pending' as const };
  await appendMessages(project, [pending]);
  await appendMessages(project, [said(sessionId, id, 'ben', 'I thieve')]);
  await appendMessages(project, [said(sessionId, id, 'ana', 'I think')]);
  expect(await rowsOf(project, sessionId)).toMatchObject([
    { id, content: 'I think', sender: 'ana' },
    { content: 'I thieve', sender: 'ben', idConflict: true },
  ]);
});

test('a pending message whose id belongs to another sender grows and is completed under its own id', async ({
  project,
}) => {
  const [sessionId, id] = [await project.newSession(), uuidv7()];
  const pending = (content: string) => ({
    ...said(sessionId, id, 'agent-1', content),
    status: 'pending' as const,
  });
  await appendMessages(project, [said(sessionId, id, 'agent-2', 'first')]);
  await appendMessages(project, [pending('I'), pending('I th')]);
  await appendMessages(project, [said(sessionId, id, 'agent-1', 'I think')]);
  expect(await rowsOf(project, sessionId)).toMatchObject([
    { id, content: 'first' },
    { content: 'I think', sender: 'agent-1', idConflict: true },
  ]);
});

test('what one sender says under an id of its own that is taken is returned, not silently dropped', async ({
  project,
}) => {
  const [sessionId, id] = [await project.newSession(), uuidv7()];
  const [first, other] = [said(sessionId, id, 'ana', 'one'), said(sessionId, id, 'ana', 'two')];
  expect((await appendMessages(project, [first, other])).ignored).toEqual([other]);
  expect((await appendMessages(project, [other, first])).ignored).toEqual([first, other]);
  expect(await rowsOf(project, sessionId)).toMatchObject([{ content: 'one' }]);
});

test('a gap that several recorders report with different ends is one message', async ({
  project,
}) => {
  const [sessionId, id] = [await project.newSession(), uuidv7()];
  const gap = (content: string) => ({
    ...said(sessionId, id, null, content),
    ...({ role: 'system', status: null, kind: 'recording_gap' } as const),
  });
  await appendMessages(project, [gap('until noon'), gap('until one')]);
  const counts = await appendMessages(project, [gap('until two')]);
  expect([counts, await rowsOf(project, sessionId)]).toMatchObject([
    { stored: 0, ignored: [] },
    [{ content: 'until noon' }],
  ]);
});

test('a message without metadata keeps the id that it came with as its raw id', async ({
  project,
}) => {
  const [sessionId, id] = [await project.newSession(), uuidv7()];
  await appendMessages(project, [said(sessionId, id, 'ana', 'one')]);
  await appendMessages(project, [{ ...said(sessionId, id, null, 'two'), metadata: null }]);
  expect(await rowsOf(project, sessionId)).toMatchObject([
    { id, rawId: id },
    { idConflict: true, rawId: id },
  ]);
});

const SENDERS = ['ana', 'ben', `${USER}-0a1b2c`, `${USER}-ffffff`, USER];

/** What two recorders received, each in an order of its own, and how they cut it into batches. */
const ROOM = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...SENDERS), fc.integer({ min: 0, max: 1 })), {
    minLength: 2,
    maxLength: 6,
    selector: ([sender, id]) => `${sender.slice(0, 41)} ${id}`,
  })
  .chain((events) =>
    fc.record({
      events: fc.constant(events),
      orders: fc.tuple(
        fc.shuffledSubarray(events, { minLength: events.length }),
        fc.shuffledSubarray(events, { minLength: events.length }),
      ),
      size: fc.integer({ min: 1, max: 6 }),
      isAtOnce: fc.boolean(),
    }),
  );

test('whatever the orders of two recorders: each message is stored once under its sender, and a replay changes nothing', async ({
  project,
}) => {
  await fc.assert(
    fc.asyncProperty(ROOM, async ({ events, orders, size, isAtOnce }) => {
      const sessionId = await project.newSession();
      const ids = [uuidv7(), uuidv7()];
      const record = async (order: typeof events) => {
        const rows = order.map(([sender, index]) =>
          said(sessionId, ids[index] ?? '', sender, `${sender} ${index}`),
        );
        for (let from = 0; from < rows.length; from += size) {
          let batch: readonly NewMessageRow[] = rows.slice(from, from + size);
          while (batch.length > 0) {
            const { lockedSessions, ignored } = await appendMessages(project, batch, {
              waitForLocks: false,
            });
            expect(ignored).toEqual([]);
            if (lockedSessions.length === 0) batch = [];
          }
        }
      };
      if (isAtOnce) await Promise.all(orders.map(record));
      else for (const order of orders) await record(order);
      const stored = await rowsOf(project, sessionId);
      expect(stored.map(({ content }) => content).toSorted()).toEqual(
        events.map(([sender, index]) => `${sender} ${index}`).toSorted(),
      );
      for (const { sender, content } of stored) expect(content.startsWith(`${sender} `)).toBe(true);
      for (const { id, idConflict } of stored) expect(idConflict).toBe(!ids.includes(id));
      for (const order of orders) await record(order.toReversed());
      expect(await rowsOf(project, sessionId)).toEqual(stored);
    }),
    { numRuns: 40 },
  );
});
