import { type LocalParticipant, Room, RoomEvent } from '@livekit/rtc-node';
import { pause } from '@session/kit';
import {
  openRoomService,
  quietSdk,
  type RoomService,
  recorderToken,
  releaseRoom,
  roomOptions,
  userToken,
} from '@session/media';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { FAST, REAL_CLOCK, until } from '../../testing/stage.ts';
import type { ReceivedEventReceiver } from '../message-path.ts';
import { createLog } from '../process/log.ts';
import { type ConnectionDeps, RoomConnection } from './room-connection.ts';
import { RoomLink } from './room-link.ts';

test('closing waits for a running attempt, and leaves the room that it brings', async () => {
  await using stage = await openStage();
  const seen: string[] = [];
  const closed = Promise.withResolvers<void>();
  const isOpening = Promise.withResolvers<void>();
  const connection = stage.connect({
    async openLink(suffix) {
      if (suffix !== '') {
        isOpening.resolve();
        // A slow attempt: it lasts until the connection is closed, or 500 ms if closing waits for the attempt.
        await Promise.race([closed.promise, new Promise((resolve) => setTimeout(resolve, 500))]);
      }
      const link = await stage.open(suffix);
      seen.push(`opened ${suffix}`);
      return link;
    },
  });
  await until(() => connection.state === 'recording');
  await stage.rooms.removeParticipant(stage.room, 'recorder-1');
  await isOpening.promise;
  await connection.close();
  seen.push('closed');
  closed.resolve();
  await until(() => seen.includes('opened .1'));
  expect(seen).toEqual(['opened ', 'opened .1', 'closed']);
  await until(async () => (await stage.identities()).length === 0);
});

test('recording only when a packet from the server has come, not when the SDK calls it connected', async () => {
  await using stage = await openStage();
  const states: string[] = [];
  const connection = stage.connect({
    async sendTo(identity, packet) {
      states.push(connection.state);
      // The first packets are dropped, as a server does that cannot deliver them yet.
      if (states.length > 2) await stage.rooms.sendPacketTo(stage.room, identity, packet);
    },
  });
  await until(() => connection.state === 'recording');
  expect(states.slice(0, 3)).toEqual(['connecting', 'connecting', 'connecting']);
  await connection.close();
});

test('a fresh connection that stays deaf is left, and the next attempt is made', async () => {
  await using stage = await openStage();
  const connection = stage.connect({
    timing: { ...FAST, connectMs: 1000 },
    async sendTo(identity, packet) {
      if (identity !== 'recorder-1') await stage.rooms.sendPacketTo(stage.room, identity, packet);
    },
  });
  await until(() => connection.state === 'recording');
  expect(connection.attempts).toBeGreaterThan(0);
  await until(async () => !(await stage.identities()).includes('recorder-1'));
  await connection.close();
});

test('a packet that comes through the old room and a fresh one is taken once', async () => {
  await using stage = await openStage();
  const numbers: number[] = [];
  using connects = vi.spyOn(Room.prototype, 'connect');
  const connection = stage.connect({}, ({ event }) => {
    if (event.type === 'packet') numbers.push(JSON.parse(Buffer.from(event.payload).toString()).n);
  });
  await until(() => connection.state === 'recording');
  const [old] = connects.mock.contexts;
  if (!(old instanceof Room)) throw new Error('no room was joined');
  const speaker = await stage.speak();
  let said = 0;
  const talk = new AbortController();
  const talking = (async () => {
    for (; !talk.signal.aborted; said += 1) {
      const packet = new TextEncoder().encode(JSON.stringify({ type: 'user_text', n: said }));
      await speaker.publishData(packet, { reliable: true });
      await pause(5, talk.signal);
    }
  })();
  await until(() => numbers.length > 10);
  // The room only seems to be down. It continues to receive, as a room does after it was frozen.
  old.emit(RoomEvent.Reconnecting);
  await until(() => connection.attempts > 0 && connection.state === 'recording');
  const before = said;
  await until(() => (numbers.at(-1) ?? 0) > before + 10);
  talk.abort();
  await talking;
  expect(numbers).toEqual([...new Set(numbers)]);
  expect(numbers.slice(0, before)).toEqual(Array.from({ length: before }, (_, number) => number));
  await connection.close();
});

test('an interruption soon after the last of the attempts succeeded is followed by one more attempt, then by the end', async () => {
  await using stage = await openStage();
  const states: string[] = [];
  using connects = vi.spyOn(Room.prototype, 'connect');
  const timing = { ...FAST, retryDelaysMs: [1], healthyMs: 60_000 };
  const connection = stage.connect({ timing }, undefined, () => states.push(connection.state));
  const interrupt = () => {
    const newest = connects.mock.contexts.at(-1);
    if (newest instanceof Room) newest.emit(RoomEvent.Reconnecting);
  };
  await until(() => connection.state === 'recording');
  for (const attempts of [1, 2]) {
    interrupt();
    await until(() => connection.attempts === attempts && connection.state === 'recording');
  }
  expect(states).not.toContain('lost');
  interrupt();
  await until(() => connection.state === 'lost');
  expect(connection.attempts).toBe(2);
  await connection.close();
});

interface Stage extends AsyncDisposable {
  readonly room: string;
  readonly rooms: RoomService;
  /** Returns the identities of the participants in the room. */
  identities(): Promise<string[]>;
  /** Joins the room as `recorder-1` with that suffix. */
  open(suffix: string): Promise<RoomLink>;
  /** Joins the room as a participant who speaks. */
  speak(): Promise<LocalParticipant>;
  /**
   * Makes a connection to the room, with some dependencies replaced. `receive` gets its events, and `changed` is called
   * on its changes.
   */
  connect(
    replaced: Partial<ConnectionDeps>,
    receive?: ReceivedEventReceiver['receive'],
    changed?: () => void,
  ): RoomConnection;
}

async function openStage(): Promise<Stage> {
  quietSdk();
  const media = testMedia();
  const rooms = openRoomService(media);
  const room = uuidv7();
  await rooms.createRoom(room);
  const stack = new AsyncDisposableStack();
  stack.defer(() => rooms.deleteRoom(room));
  const open = async (suffix: string) => {
    const { token } = await recorderToken(media, { room, identity: `recorder-1${suffix}` });
    const joining = { url: media.url, token, timeoutMs: FAST.connectMs, clock: REAL_CLOCK };
    return await RoomLink.connect(joining, () => {});
  };
  return {
    room,
    rooms,
    open,
    identities: async () => (await rooms.listParticipants(room)).map(({ identity }) => identity),
    async speak() {
      const { token } = await userToken(media, { room, userId: 'ana', name: 'Ana' });
      const speaker = new Room();
      stack.defer(() => releaseRoom(speaker));
      await speaker.connect(media.url, token, roomOptions());
      if (!speaker.localParticipant)
        throw new Error('the room is connected, and has no local participant');
      return speaker.localParticipant;
    },
    connect: (replaced, receive = () => {}, changed = () => {}) =>
      new RoomConnection(
        {
          openLink: open,
          sendTo: (identity, packet) => rooms.sendPacketTo(room, identity, packet),
          inTurn: (work) => work(),
          verify: async () => {},
          log: createLog('silent'),
          timing: FAST,
          clock: REAL_CLOCK,
          ...replaced,
        },
        { changed, connected() {}, async interrupted() {}, parted() {} },
        { receive, receiveBegin: () => {}, receiveEnd: () => {}, receiveTrack: () => {} },
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
