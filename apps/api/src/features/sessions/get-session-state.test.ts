import type { Message, SessionState } from '@session/contract';
import { decode, encodePacket, foldState } from '@session/contract/room';
import * as db from '@session/db';
import { type NewMessageRow, openDatabase } from '@session/db';
import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { spoken } from '../../../testing/history.ts';

const MIB = 1024 * 1024;
const EVENT_KINDS = [
  'complete_todo_list',
  'plan_deliverable_update',
  'state_change_notification',
] as const;

type Packet = Parameters<typeof encodePacket>[0];

/** Returns the row that the recorder makes of a packet. */
function received(sessionId: string, packet: Packet, identity: string): NewMessageRow {
  const kind = identity.startsWith('user-') ? 'standard' : 'agent';
  const sender = { identity, name: '', sid: null, kind };
  const event = { type: 'packet', payload: encodePacket(packet), sender, receivedAt: Date.now() };
  const decoded = decode({ ...event, type: 'packet' }, { sessionId, newId: uuidv7 });
  if (decoded.outcome !== 'store') throw new Error(decoded.outcome);
  return decoded.message;
}

function todoList(plan: string, steps: readonly string[], more: object = {}): Packet {
  const listed = steps.map((id) => ({ id, title: id, state: 'pending' }));
  const fields = { plan: { id: plan, name: plan }, revision: 1, steps: listed };
  return { type: 'complete_todo_list', ...fields, ...more };
}

function update(id: string, step: string, value: unknown): Packet {
  const deliverable = { id, title: id, value, version: 1 };
  return { type: 'plan_deliverable_update', revision: 2, step, deliverable };
}

function notification(state: string, message = 'A sentence.'): Packet {
  return { type: 'state_change_notification', state, message };
}

/** Packets that fit each other, from few ids; foreign ones of the same types; and rows whose metadata have any shape. */
const anyHistory = (sessionId: string) => {
  const id = fc.constantFrom('a', 'b', 'c');
  const packet = fc.oneof(
    fc.tuple(id, fc.array(id, { maxLength: 3 })).map(([plan, steps]) => todoList(plan, steps)),
    fc
      .tuple(id, id, fc.oneof(fc.string(), fc.double(), fc.jsonValue()))
      .map(([name, step, value]) => update(name, step, value)),
    fc.constantFrom('ready', 'degraded', 'interrupted', '').map((state) => notification(state)),
    fc
      .tuple(fc.constantFrom(...EVENT_KINDS), fc.dictionary(id, fc.jsonValue()))
      .map(([type, fields]) => ({ ...fields, type })),
    fc.constant<Packet>({ type: 'user_text', data: 'Hello' }),
  );
  const identity = fc.constantFrom('agent-1', 'helper', 'user-1');
  const foreign = fc.constantFrom(...EVENT_KINDS).chain((kind) =>
    fc
      .oneof(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.record({
          kind: fc.constant(kind),
          participant: fc.jsonValue(),
          payload: fc.jsonValue(),
        }),
        fc.record({
          kind: fc.constant(kind),
          participant: fc.record({ identity: fc.jsonValue(), kind: fc.constant('agent') }),
          payload: fc.dictionary(fc.constantFrom('state', 'plan', 'steps'), fc.jsonValue()),
        }),
      )
      .map((metadata) => spoken(sessionId, { kind, metadata })),
  );
  const row = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(packet, identity).map((sent) => received(sessionId, ...sent)),
    },
    { weight: 1, arbitrary: foreign },
  );
  return fc.array(row, { maxLength: 12 });
};

async function stateOf(api: TestApi, user: TestUser, sessionId: string, asOf?: string) {
  const query = asOf === undefined ? '' : `?asOf=${encodeURIComponent(asOf)}`;
  const answer = await api.inject(user, { url: `/sessions/${sessionId}/state${query}` });
  expect(answer.statusCode).toBe(200);
  return answer.json<SessionState>();
}

test('the state at every moment equals the fold of the history until then, whatever agents and others sent', async ({
  api,
  ana,
}) => {
  const sent = fc.gen();
  await fc.assert(
    fc.asyncProperty(sent, async (generate) => {
      const sessionId = await api.createSession(ana);
      const rows = generate(anyHistory, sessionId);
      for (const row of rows) await db.appendMessages(api.deps.database, [row]);
      const url = `/sessions/${sessionId}/messages?limit=100`;
      const { items } = (await api.inject(ana, { url })).json<{ items: Message[] }>();
      const history = items.toReversed();
      expect(await stateOf(api, ana, sessionId)).toEqual(foldState(history));
      expect(await stateOf(api, ana, sessionId, '2000-01-01T00:00:00+02:00')).toEqual(
        foldState([]),
      );
      for (const [index, { timestamp }] of history.entries()) {
        const until = history.slice(0, index + 1);
        expect(await stateOf(api, ana, sessionId, timestamp)).toEqual(foldState(until));
      }
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

test('an agent that was interrupted, and has answered the next text in full, is not interrupted', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const send = (packet: Packet, identity: string) =>
    db.appendMessages(api.deps.database, [received(sessionId, packet, identity)]);
  await send(notification('ready'), 'agent-1');
  await send({ type: 'user_text', data: 'Wait!' }, 'user-1');
  await send(notification('interrupted'), 'agent-1');
  await send({ type: 'transcript', text: 'Yes, in full.', is_final: true }, 'agent-1');
  const { agents } = await stateOf(api, ana, sessionId);
  expect(agents).toMatchObject([{ participant: 'agent-1', state: 'ready' }]);
});

test('an agent that reports without end, and a person who imitates it, push no plan out of the state', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const send = (packet: Packet, identity: string) =>
    db.appendMessages(api.deps.database, [received(sessionId, packet, identity)]);
  await send(todoList('booking', ['name']), 'agent-1');
  await send(update('customer', 'name', 'Ann'), 'agent-1');
  const long = 'x'.repeat(60_000);
  const flood = Array.from({ length: 80 }, (_, index) => [
    received(sessionId, notification(`state-${index}`, long), 'agent-1'),
    received(sessionId, todoList(`forged-${index}`, ['name'], { long }), 'user-1'),
  ]);
  for (const rows of flood) await db.appendMessages(api.deps.database, rows);
  const { plans, agents } = await stateOf(api, ana, sessionId);
  expect(plans).toMatchObject([{ id: 'booking', deliverables: [{ value: 'Ann' }] }]);
  expect(agents).toMatchObject([{ participant: 'agent-1', state: 'state-79' }]);
});

test('the largest plan is whole: 50 steps with the longest ids and titles, and 50 deliverables of 8 KiB', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const send = (packet: Packet) =>
    db.appendMessages(api.deps.database, [received(sessionId, packet, 'agent-1')]);
  const ids = Array.from({ length: 50 }, (_, index) => `step-${index}`.padEnd(64, 'x'));
  const steps = ids.map((id) => ({ id, title: 'ü'.repeat(200), state: 'done' }));
  await send(todoList('plan', ids));
  for (const id of ids) {
    await send(update(id, id, 'z'.repeat(8192)));
    await send(todoList('plan', [], { steps, revision: 1 }));
  }
  const { plans } = await stateOf(api, ana, sessionId);
  expect(plans).toMatchObject([{ steps, deliverables: ids.map((id) => ({ id })) }]);
});

test('of more than 4 MiB of events the newest decide, however much longer JSON makes their texts', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const send = (packet: Packet) =>
    db.appendMessages(api.deps.database, [received(sessionId, packet, 'agent-1')]);
  // JSON writes this character with six.
  const value = '\u0001'.repeat(10_000);
  for (let index = 0; index < 80; index += 1) {
    await send(todoList(`plan-${index}`, [`step-${index}`]));
    await send(update('value', `step-${index}`, value));
    await send(update('other', `step-${index}`, value));
  }
  const answer = await api.inject(ana, { url: `/sessions/${sessionId}/state` });
  expect(Buffer.byteLength(answer.body)).toBeLessThan(4 * MIB);
  const { plans } = answer.json<SessionState>();
  expect(plans.at(-1)).toMatchObject({ id: 'plan-79', deliverables: [{ value }, { value }] });
  expect(plans.length).toBeGreaterThan(30);
  expect(plans.length).toBeLessThan(40);
});

test('a number that JavaScript reads as infinite is no value, and no failure', async ({
  database,
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  await db.appendMessages(api.deps.database, [
    received(sessionId, todoList('booking', ['name']), 'agent-1'),
    received(sessionId, update('customer', 'name', 'Ann'), 'agent-1'),
    received(sessionId, update('customer', 'name', 4711), 'agent-1'),
  ]);
  await using own = openDatabase(database.url, { connections: 1 });
  await own.sql`
    update messages set metadata = replace(metadata::text, '4711', '1e400')::jsonb
    where session_id = ${sessionId}`;
  const { plans } = await stateOf(api, ana, sessionId);
  expect(plans).toMatchObject([{ deliverables: [{ value: 'Ann' }] }]);
});
