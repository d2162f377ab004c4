import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { pause } from '@session/kit';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/stage.ts';
import { ConnectQueue } from './connect-queue.ts';

const NUMBER_AT_A_TIME = 8;

/** Requests rooms with these numbers of participants, all at once. Returns their indexes in the order of their turns. */
async function turnsOf(counts: readonly number[], findRooms = async () => roomsWith(counts)) {
  const queue = new ConnectQueue({ findRooms });
  const turns: number[] = [];
  const connects = counts.map((_, index) =>
    queue.run(`room ${index}`, async () => void turns.push(index)),
  );
  await Promise.all(connects);
  return turns;
}

function roomsWith(counts: readonly number[]): Map<string, { participantCount: number }> {
  return new Map(counts.map((participantCount, index) => [`room ${index}`, { participantCount }]));
}

test('eight rooms are connected to at a time, and the others wait for their turn', async () => {
  await using stage = await TestStage.open();
  // A media server that accepts connections and never answers.
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  for (let count = 0; count < 20; count += 1) await stage.createSession();
  const media = { ...stage.media, url: `ws://127.0.0.1:${port}` };
  const recorder = await stage.record({ config: { media } });
  const states = await until(() => {
    const { sessions } = recorder.health();
    return sessions['connecting'] === 8 && sessions;
  });
  expect(states).toEqual({ connecting: 8, waiting: 12 });
  server.close();
  for (const socket of sockets) socket.destroy();
});

test('every room has one turn: the fullest of those that wait, then the oldest, and each eighth turn is the oldest’s', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 40 }), async (counts) => {
      const turns = await turnsOf(counts);
      const waiting = [...counts.keys()];
      for (const [turn, index] of turns.entries()) {
        const most = Math.max(...waiting.map((room) => counts[room] ?? 0));
        const fullest = waiting.find((room) => counts[room] === most);
        expect(index).toBe((turn + 1) % NUMBER_AT_A_TIME === 0 ? waiting[0] : fullest);
        waiting.splice(waiting.indexOf(index), 1);
      }
      expect(waiting).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

test('a full room that fails again and again does not keep an older request from its turn', async () => {
  const rooms = new Map([['full', { participantCount: 9 }]]);
  const queue = new ConnectQueue({ findRooms: async () => rooms });
  const over = new AbortController();
  let attempts = 0;
  const retry = async () => {
    while (!over.signal.aborted) {
      await queue.run('full', async () => {
        attempts += 1;
      });
    }
  };
  // Twice as many requests as may connect at the same time, so that one of them always waits.
  const retries = Array.from({ length: 2 * NUMBER_AT_A_TIME }, retry);
  await queue.run('empty', async () => {});
  over.abort();
  await Promise.all(retries);
  expect(attempts).toBeGreaterThan(0);
});

test('a room that exists comes before those that do not, though its participants are not counted yet', async () => {
  expect(
    await turnsOf([0, 0, 0], async () => new Map([['room 2', { participantCount: 0 }]])),
  ).toEqual([2, 0, 1]);
});

test.each([
  ['refuses to count', () => Promise.reject(new Error('refused')), 0],
  ['never answers', () => new Promise<never>(() => {}), 500],
])(
  'a media server that %s: the rooms connect in the order of their requests',
  async (_, count, waitMs) => {
    startVirtualTime();
    const began = Date.now();
    const turns = turnsOf([0, 3, 1], count).then((all) => [all, Date.now() - began]);
    await passTime(waitMs);
    expect(await turns).toEqual([[0, 1, 2], waitMs]);
  },
);

test('an answer that comes late counts for the rooms that still wait', async () => {
  startVirtualTime();
  const counts = [...Array.from({ length: 19 }, () => 0), 2];
  const findRooms = async () => {
    await pause(600, new AbortController().signal);
    return roomsWith(counts);
  };
  const queue = new ConnectQueue({ findRooms });
  const turns: number[] = [];
  const connects = counts.map((_, index) =>
    queue.run(`room ${index}`, async () => {
      turns.push(index);
      await pause(200, new AbortController().signal);
    }),
  );
  await passTime(10_000);
  await Promise.all(connects);
  expect(turns.indexOf(19)).toBe(NUMBER_AT_A_TIME);
});

test('an answer that is later than the answer to a newer request counts no more', async () => {
  startVirtualTime();
  const rooms = 40;
  const delaysMs = [1300, 100];
  const found: number[] = [];
  const findRooms = async () => {
    // The first request, which is answered last, finds people in the last room; every other request, in the room before
    // it.
    const busy = found.push(0) === 1 ? rooms - 1 : rooms - 2;
    await pause(delaysMs.shift() ?? 100, new AbortController().signal);
    return new Map([[`room ${busy}`, { participantCount: 2 }]]);
  };
  const queue = new ConnectQueue({ findRooms });
  const turns: number[] = [];
  const connects = Array.from({ length: rooms }, (_, index) =>
    queue.run(`room ${index}`, async () => {
      turns.push(index);
      await pause(300, new AbortController().signal);
    }),
  );
  await passTime(10_000);
  await Promise.all(connects);
  expect(turns.indexOf(rooms - 2)).toBeLessThan(turns.indexOf(rooms - 1));
  expect(turns.at(-1)).toBe(rooms - 1);
});

test('counts that are older than 10 s order nothing, though requests to count failed meanwhile', async () => {
  startVirtualTime();
  let isAway = false;
  const findRooms = async () => {
    if (isAway) throw new Error('the server is away');
    return roomsWith([0, 2]);
  };
  const queue = new ConnectQueue({ findRooms });
  const turns: number[] = [];
  const connect = async () => {
    turns.splice(0);
    const rooms = [0, 1].map((index) =>
      queue.run(`room ${index}`, async () => void turns.push(index)),
    );
    await passTime(1000);
    await Promise.all(rooms);
    return [...turns];
  };
  expect(await connect()).toEqual([1, 0]);
  isAway = true;
  expect(await connect()).toEqual([1, 0]);
  for (let seconds = 0; seconds < 9; seconds += 1) await connect();
  expect(await connect()).toEqual([0, 1]);
});

test('one request to the server counts the participants of all rooms that wait, and counts hold for half a second', async () => {
  startVirtualTime();
  const began = Date.now();
  const asked: { rooms: number; at: number }[] = [];
  const queue = new ConnectQueue({
    async findRooms({ length: rooms }) {
      asked.push({ rooms, at: Date.now() - began });
      return new Map();
    },
  });
  const { signal } = new AbortController();
  const connects = Array.from({ length: 200 }, async (_, index) => {
    await queue.run(`${index}`, async () => void (await pause(100, signal)));
  });
  await passTime(2500);
  await Promise.all(connects);
  expect(asked).toEqual([
    { rooms: 200, at: 0 },
    { rooms: 160, at: 500 },
    { rooms: 120, at: 1000 },
    { rooms: 80, at: 1500 },
    { rooms: 40, at: 2000 },
  ]);
});

test('an attempt that fails throws to its caller, and the queue goes on', async () => {
  const queue = new ConnectQueue({ findRooms: async () => new Map() });
  const failing = queue.run('room', () => Promise.reject(new Error('refused')));
  await expect(failing).rejects.toThrow('refused');
  expect(await queue.run('room', async () => 'connected')).toBe('connected');
});
