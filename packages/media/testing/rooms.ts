import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalParticipant, Room } from '@livekit/rtc-node';
import type { RoomEvent } from '@session/contract/room';
import { type JoinOptions, joinRoom } from '../src/room/join-room.ts';
import type { JoinedRoom } from '../src/room/joined-room.ts';
import { releaseRoom } from '../src/room/release-room.ts';
import { roomOptions } from '../src/room/room-options.ts';
import type { MediaServer } from '../src/server/media-server.ts';
import { openRoomService } from '../src/server/room-service.ts';
import { recorderToken, userToken } from '../src/server/tokens.ts';

export function makeRoomName(): string {
  return `room-${randomUUID()}`;
}

export async function joinAsUser(
  server: MediaServer,
  room: string,
  name: string,
  options: Omit<JoinOptions, 'url' | 'token'> = {},
): Promise<JoinedRoom> {
  const { token } = await userToken(server, { room, userId: name.toLowerCase(), name });
  return await joinRoom({ url: server.url, token, ...options });
}

/** Joins as a person who uses LiveKit's SDK alone, and so is announced late. */
export async function joinAsForeigner(
  server: MediaServer,
  room: string,
  name: string,
): Promise<{ readonly self: LocalParticipant } & AsyncDisposable> {
  const { token } = await userToken(server, { room, userId: name.toLowerCase(), name });
  return await joinUnannounced(server.url, token);
}

export async function joinUnannounced(
  url: string,
  token: string,
): Promise<{ readonly self: LocalParticipant } & AsyncDisposable> {
  const joined = new Room();
  await joined.connect(url, token, roomOptions());
  const self = joined.localParticipant;
  if (!self) throw new Error('the room is connected, and has no local participant');
  return { self, [Symbol.asyncDispose]: () => releaseRoom(joined) };
}

/** Joins as a recorder, hidden from the others. Returns the room with all its events. */
export async function joinAsRecorder(
  server: MediaServer,
  room: string,
): Promise<{ readonly joined: JoinedRoom; readonly events: RoomEvent[] } & AsyncDisposable> {
  const { token } = await recorderToken(server, { room, identity: `recorder-${randomUUID()}` });
  const events: RoomEvent[] = [];
  const onEvent = (event: RoomEvent) => void events.push(event);
  const joined = await joinRoom({ url: server.url, token, onEvent });
  return { joined, events, [Symbol.asyncDispose]: () => joined.leave() };
}

/** Sends packets until one of them arrives: a fresh connection may miss what is sent in its first moment. */
export async function untilHeard(
  { events }: { readonly events: readonly RoomEvent[] },
  speaker: JoinedRoom,
): Promise<void> {
  while (packetsIn(events).length === 0) {
    await speaker.say('Can you hear me?');
    await sleep(20);
  }
}

/**
 * Sends packets of the media server to a participant until one is among its `events`. The server sends nothing into a connection
 * that is not ready at its own end, which may be later than at the participant's.
 */
export async function untilReached(
  server: MediaServer,
  room: string,
  { identity, events }: { readonly identity: string; readonly events: readonly RoomEvent[] },
): Promise<void> {
  const rooms = openRoomService(server);
  while (withoutProbes(events).length === events.length) {
    await rooms.sendPacketTo(room, identity, { type: PROBE });
    await sleep(20);
  }
}

const PROBE = 'probe';

/** Returns the events without the packets of `untilReached`. */
export function withoutProbes(events: readonly RoomEvent[]): RoomEvent[] {
  return events.filter((event) => !packetsIn([event]).some((one) => Object(one).type === PROBE));
}

export function lastText(events: readonly RoomEvent[]): RoomEvent | undefined {
  return events.findLast(({ type }) => type === 'text_stream');
}

export function packetsIn(events: readonly RoomEvent[]): unknown[] {
  return events
    .filter((event) => event.type === 'packet')
    .map(({ payload }) => JSON.parse(Buffer.from(payload).toString()));
}
