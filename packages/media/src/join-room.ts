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

/** How long after our own change its answer may still come; they come together. Past it the answer is taken for lost. */
const ANSWER_MS = 200;

export interface JoinOptions {
  /** The media server's WebSocket URL. */
  readonly url: string;
  readonly token: string;
  /** How long joining may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** Gets all that happens in the room from joining on, and not before the room can be used. */
  readonly onEvent?: (event: RoomEvent, room: JoinedRoom) => Promise<void> | void;
  /** Gets what `onEvent` throws; without it a warning of the process tells. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Joins a room to exchange data in it, and gives it when the others know who we are. Throws `media_unavailable`, with no
 * token in its message, when the server refuses the token or does not answer within the time-out (10 s by default).
 */
export async function joinRoom(options: JoinOptions): Promise<JoinedRoom> {
  const { url, token, timeoutMs = 10_000, onEvent = () => {}, onError = warn } = options;
  quietSdk();
  const room = new Room();
  const joined = new JoinedRoom(room);
  const ready = Promise.withResolvers<void>();
  const event = async (what: RoomEvent) => {
    await ready.promise;
    await onEvent(what, joined);
  };
  listenToRoom(room, { event, error: onError, leaving: joined.leaving });
  const announceAgain = guard(
    () => announce(room),
    (error) => {
      // It is only a failure if there is still a room to be known in.
      if (room.isConnected) onError(error);
    },
  );
  room.on(SdkEvent.Reconnected, announceAgain);
  const connecting = connect(room, url, token);
  try {
    await withDeadline(connecting, timeoutMs);
  } catch (error) {
    // It may still succeed, after the time-out, and would stay in the room for ever.
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
 * Makes the server tell the others of us now. By itself it does so when a track is published, or 3 s later, and until
 * then our packets have no sender.
 *
 * The server tells everybody in the room, us among them, and answers when it has. The SDK's native half begins to listen
 * for the answer after it has asked, and loses one that is faster, which it notices after 5 s: soon after our own change we
 * go on without.
 */
async function announce(room: Room): Promise<void> {
  const announcedAt = new Date().toISOString();
  const changed = Promise.withResolvers<void>();
  const over = new AbortController();
  const see = (attributes: Record<string, string>, { identity }: { identity?: string }) => {
    const isOurs = identity === room.localParticipant?.identity;
    if (isOurs && attributes['announcedAt'] === announcedAt) changed.resolve();
  };
  room.on(SdkEvent.ParticipantAttributesChanged, see);
  try {
    const answered = room.localParticipant?.setAttributes({ announcedAt });
    const waited = changed.promise.then(() => pause(ANSWER_MS, over.signal));
    await Promise.race([answered, waited]);
  } finally {
    over.abort();
    room.off(SdkEvent.ParticipantAttributesChanged, see);
  }
}

function warn(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(redactTokens(text));
}
