import { Room, RoomEvent as SdkEvent } from '@livekit/rtc-node';
import { type PacketEvent, RESEND_TOPIC, type RoomEvent } from '@session/contract/room';
import { redactTokens, withDeadline } from '@session/kit';
import { guard } from '../guard.ts';
import { mediaError } from '../media-error.ts';
import { OwnAttributes } from '../own-attributes.ts';
import { quietSdk } from '../quiet-sdk.ts';
import type { SentMessages } from '../text/sent-messages.ts';
import type { IncomingAudio } from '../voice/incoming-audio.ts';
import { listenToAudio } from '../voice/listen-to-audio.ts';
import { hideProxy } from './hide-proxy.ts';
import { JoinedRoom } from './joined-room.ts';
import { listenToRoom } from './listen-to-room.ts';
import { releaseRoom } from './release-room.ts';
import { roomOptions } from './room-options.ts';

export interface JoinOptions {
  readonly url: string;
  readonly token: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /**
   * Numbers our messages, and resends those that the history lacks. Use one object for all stays of a program in the
   * room.
   */
  readonly sent?: SentMessages;
  readonly onEvent?: (event: RoomEvent, room: JoinedRoom) => Promise<void> | void;
  readonly onAudio?: ((audio: IncomingAudio) => void) | undefined;
  readonly onError?: (error: unknown) => void;
}

/**
 * Joins a room to exchange data. Resolves once the server has announced us; `onEvent` is not called before. Throws
 * `media_unavailable`, without a token, if the server refuses or does not answer within `timeoutMs` (10 s).
 */
export async function joinRoom(options: JoinOptions): Promise<JoinedRoom> {
  const { url, token, timeoutMs = 10_000, onEvent = () => {}, onAudio, onError = warn } = options;
  quietSdk();
  const room = new Room();
  const attributes = new OwnAttributes(room, {
    ...options.attributes,
    ...options.sent?.lastAttribute,
  });
  const joined = new JoinedRoom(room, attributes, options.sent);
  const ready = Promise.withResolvers<void>();
  const event = async (roomEvent: RoomEvent) => {
    await ready.promise;
    if (isRequest(roomEvent)) await joined.sendAgain(roomEvent.payload);
    else await onEvent(roomEvent, joined);
  };
  const ends = { error: onError, leaving: joined.leaving };
  listenToRoom(room, { event, ...ends });
  const audio = onAudio && listenToAudio(room, { audio: onAudio, ...ends });
  const announceAgain = guard(
    async () => {
      try {
        await attributes.announce();
      } finally {
        joined.reconnected();
      }
    },
    (error) => {
      // A failed announcement matters only while we are in the room.
      if (room.isConnected) onError(error);
    },
  );
  room.on(SdkEvent.Reconnected, announceAgain);
  const connecting = (async () => {
    hideProxy(url);
    await room.connect(url, token, roomOptions());
    await attributes.announce();
    audio?.update();
  })();
  try {
    await withDeadline(connecting, timeoutMs);
  } catch (error) {
    // The join may still succeed after the time-out, and the participant would stay in the room forever.
    connecting
      .catch(() => {})
      .then(() => releaseRoom(room))
      .catch(onError);
    throw mediaError('cannot join the room', error);
  }
  ready.resolve();
  return joined;
}

function isRequest(event: RoomEvent): event is PacketEvent {
  return event.type === 'packet' && event.topic === RESEND_TOPIC && event.sender === null;
}

function warn(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(redactTokens(text));
}
