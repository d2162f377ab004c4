import type { ListedParticipant } from '@session/media';
import { expect, test } from 'vitest';
import { sendOut } from './send-out.ts';

interface Barred {
  readonly sessionId: string;
  readonly identity: string;
}

test('1,200 who are barred are sent out of as many rooms, eight rooms at a time, and each room is asked once', async () => {
  const all: Barred[] = Array.from({ length: 1200 }, (_, number) => {
    const sessionId = String(number).padStart(4, '0');
    return { sessionId, identity: `agent-${sessionId}` };
  });
  const extended: Barred[] = [];
  const removed: string[] = [];
  const pages: number[] = [];
  let asking = 0;
  let askedAtOnce = 0;
  let asked = 0;
  const sentOut = await sendOut<Barred>({
    rooms: {
      listRooms: async () => all.map(({ sessionId }) => sessionId),
      async listParticipants(room) {
        asking += 1;
        asked += 1;
        askedAtOnce = Math.max(askedAtOnce, asking);
        await new Promise(setImmediate);
        asking -= 1;
        return [listed(`agent-${room}`), listed('user-1')];
      },
      removeParticipant: async (_room, identity) => void removed.push(identity),
    },
    async list(limit, after) {
      const from = after ? all.indexOf(after) + 1 : 0;
      const page = all.slice(from, from + limit);
      pages.push(page.length);
      return page;
    },
    hasIdentity: (barred, identity) => barred.identity === identity,
    extend: async (barred) => void extended.push(barred),
    async forget() {
      expect(removed).toHaveLength(1200);
    },
  });
  expect([askedAtOnce, asked]).toEqual([8, 1200]);
  expect(pages).toEqual([500, 500, 200]);
  expect(sentOut).toEqual(all.map(({ identity }) => identity));
  expect(removed.toSorted()).toEqual(sentOut);
  expect(extended).toHaveLength(1200);
});

test('a participant who cannot be removed, or a room that does not answer, keeps nobody else in: bars end as before', async () => {
  const names = Array.from({ length: 20 }, (_, number) => String(number).padStart(2, '0'));
  const all = names.map((sessionId) => ({ sessionId, identity: `agent-${sessionId}` }));
  const removed: string[] = [];
  const forgotten: (readonly string[])[] = [];
  const sending = sendOut<Barred>({
    rooms: {
      listRooms: async () => names,
      async listParticipants(room) {
        if (room === '01') throw new Error('no answer');
        return [listed(`agent-${room}`)];
      },
      async removeParticipant(room, identity) {
        if (room === '00') throw new Error('its node is gone');
        removed.push(identity);
      },
    },
    list: async () => all,
    hasIdentity: (barred, identity) => barred.identity === identity,
    extend: async () => {},
    forget: async (unseen) => void forgotten.push(unseen),
  });
  const failure: unknown = await sending.catch((error: unknown) => error);
  expect(removed).toEqual(all.slice(2).map(({ identity }) => identity));
  expect(forgotten).toEqual([['01']]);
  expect(failure).toMatchObject({
    errors: [
      { message: 'room 01 was not looked into', cause: { message: 'no answer' } },
      { message: 'agent-00 stays in room 00', cause: { message: 'its node is gone' } },
    ],
  });
});

function listed(identity: string): ListedParticipant {
  return {
    identity,
    isHidden: false,
    name: '',
    sid: `PA_${identity}`,
    kind: 'agent',
    state: 'active',
    isAnnounced: true,
    readsTexts: false,
    joinedAt: 0,
    trackSids: [],
  };
}
