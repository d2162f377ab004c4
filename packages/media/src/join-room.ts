import { Room, RoomEvent as SdkEvent } from '@livekit/rtc-node';
import type { RoomEvent } from '@session/contract/room';
import { pause, redactTokens, withDeadline } from '@session/kit';
import { guard } from './guard.ts';
import { JoinedRoom } from './joined-room.ts';
import { listenToRoom } from './listen-to-room.ts';
import { mediaError } from './media-error.ts';
import { quietSdk } from './quiet-sdk.ts';
import { releaseRoom } from './release-room.ts';
import { roomOptions } from './room-options.ts';

/**
 * How long after our own change of attributes the server's answer may still arrive; normally both arrive together.
 * After this time the answer counts as lost.
 */
const LATE_ANSWER_MS = 200;

export interface JoinOptions {
  /** The media server's WebSocket URL. */
  readonly url: string;
  readonly token: string;
  /** How long joining may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** Receives every event of the room from the join on. The calls begin once the room can be used. */
  readonly onEvent?: (event: RoomEvent, room: JoinedRoom) => Promise<void> | void;
  /** Receives whatever `onEvent` throws. By default the process emits a warning. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Joins a room to exchange data in it. Returns the room once the other participants know who we are. Throws
 * `media_unavailable`, with no token in its message, if the server refuses the token or does not answer within
 * `timeoutMs` (10 s by default).
 */
export async function joinRoom(options: JoinOptions): Promise<JoinedRoom> {
  const { url, token, timeoutMs = 10_000, onEvent = () => {}, onError = warn } = options;
  quietSdk();
  const room = new Room();
  const joined = new JoinedRoom(room);
  const ready = Promise.withResolvers<void>();
  const event = async (roomEvent: RoomEvent) => {
    await ready.promise;
    await onEvent(roomEvent, joined);
  };
  listenToRoom(room, { event, error: onError, leaving: joined.leaving });
  const announceAgain = guard(
    () => announce(room),
    (error) => {
      // Failing to announce us matters only while we are still in the room.
      if (room.isConnected) onError(error);
    },
  );
  room.on(SdkEvent.Reconnected, announceAgain);
  const connecting = connect(room, url, token);
  try {
    await withDeadline(connecting, timeoutMs);
  } catch (error) {
    // The join may still succeed after the time-out, and would then stay in the room forever.
    connecting
      .catch(() => {})
      .then(() => releaseRoom(room))
      .catch(onError);
    throw mediaError('cannot join the room', error);
  }
  ready.resolve();
  return joined;
}

async function connect(room: Room, url: string, token: string): Promise<void> {
  await room.connect(url, token, roomOptions());
  await announce(room);
}

/**
 * Makes the server announce us to the other participants now. By itself the server does so when a track is published,
 * or after 3 s; until then our packets reach the others without a sender.
 *
 * The server sends the changed attributes to all participants, including us, and then answers. The SDK's native half
 * sends the request before it listens for the answer. It loses an answer that is faster, and notices that only after 5
 * s. So we wait for the answer only until `LATE_ANSWER_MS` after our own change.
 */
async function announce(room: Room): Promise<void> {
  const announcedAt = new Date().toISOString();
  const ownChange = Promise.withResolvers<void>();
  const done = new AbortController();
  const receiveChange = (
    attributes: Record<string, string>,
    { identity }: { identity?: string },
  ) => {
    const isOurs = identity === room.localParticipant?.identity;
    if (isOurs && attributes['announcedAt'] === announcedAt) ownChange.resolve();
  };
  room.on(SdkEvent.ParticipantAttributesChanged, receiveChange);
  try {
    const answered = room.localParticipant?.setAttributes({ announcedAt });
    const answerIsLost = ownChange.promise.then(() => pause(LATE_ANSWER_MS, done.signal));
    await Promise.race([answered, answerIsLost]);
  } finally {
    done.abort();
    room.off(SdkEvent.ParticipantAttributesChanged, receiveChange);
  }
}

function warn(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(redactTokens(text));
}
