import * as db from '@session/db';
import { expect } from 'vitest';
import { START, spoken } from '../../../testing/history.ts';
import {
  opened,
  type StreamedEvent,
  streamTest as test,
} from '../../../testing/message-streams.ts';

function kinds(received: readonly StreamedEvent[]): string[] {
  return received.map(({ name, data }) => data.type ?? name);
}

test('with `events` what happens to the session comes among its messages, live and again; without them it comes to nobody', async ({
  api,
  ana,
  address,
  sessionId,
}) => {
  const { database } = api.deps;
  const plain = await opened(address, ana, sessionId);
  const live = await opened(address, ana, sessionId, { events: 'true' });
  await db.appendMessages(database, [spoken(sessionId)]);
  await db.closeSession(database, sessionId, 'user');
  const last = spoken(sessionId);
  await db.appendMessages(database, [last]);
  const past = await opened(address, ana, sessionId, { since: START, events: 'true' });
  const take = async ({ events }: typeof live, count: number) => {
    const taken: StreamedEvent[] = [];
    while (taken.length < count) {
      const { value } = await events.next();
      if (value) taken.push(value);
    }
    return taken;
  };
  const seen = await take(live, 3);
  expect(kinds(seen)).toEqual(['message', 'session.closed', 'message']);
  expect(seen[1]).toMatchObject({
    name: 'session',
    id: expect.stringMatching(/Z$/),
    data: { sessionId, data: { reason: 'user' } },
  });
  const all = await take(past, 4);
  expect(kinds(all)).toEqual(['session.created', 'message', 'session.closed', 'message']);
  expect(all.slice(1)).toEqual(seen);
  const ids = all.map(({ id }) => id ?? '');
  expect(ids).toEqual([...new Set(ids)].toSorted());
  // After the event, nothing comes twice.
  const rest = await opened(address, ana, sessionId, { events: 'true', lastEventId: ids[2] });
  expect((await take(rest, 1))[0]?.data.id).toBe(last.id);
  expect(kinds(await take(plain, 2))).toEqual(['message', 'message']);
});

test('a reader of what a restore has lost is told to begin again; no other is', async ({
  api,
  ana,
  address,
  sessionId,
}) => {
  const { database } = api.deps;
  await db.appendMessages(database, [spoken(sessionId)]);
  const { position: kept = '' } = await opened(address, ana, sessionId);
  await db.appendMessages(database, [spoken(sessionId)]);
  const { position: lost = '' } = await opened(address, ana, sessionId);
  // The state that a restore to an earlier time and `after-restore` leave.
  await database.sql`delete from messages where session_id = ${sessionId} and "timestamp" > ${kept}`;
  await database.sql`update session_heads set last_at = ${kept} where session_id = ${sessionId}`;
  const [restored] = await database.sql`
    insert into restores (floor_at) values (now() + interval '1 s') returning floor_at`;
  const floor = restored?.['floor_at'];
  const later = spoken(sessionId);
  await db.appendMessages(database, [later]);

  const { events, position } = await opened(address, ana, sessionId, { lastEventId: lost });
  expect(position).toBe(lost);
  expect((await events.next()).value).toEqual({ name: 'reset', id: floor, data: {} });
  expect((await events.next()).value?.data.id).toBe(later.id);
  for (const lastEventId of [kept, floor]) {
    const unharmed = await opened(address, ana, sessionId, { lastEventId });
    expect((await unharmed.events.next()).value?.data.id).toBe(later.id);
  }

  const url = (since: string) => `/sessions/${sessionId}/messages/latest?since=${since}&wait=20`;
  const reset = (await api.inject(ana, { url: url(lost) })).json();
  expect(reset).toEqual({ items: [], nextSince: floor, hasMore: true, reset: true });
  const next = (await api.inject(ana, { url: url(reset.nextSince) })).json();
  expect(next).toMatchObject({ items: [{ id: later.id }], hasMore: false });
  expect(next).not.toHaveProperty('reset');
});
