import type { Room } from '@livekit/rtc-node';
import { fieldIn, messageIn } from '../ffi-event.ts';

export interface TextName {
  readonly identity: string;
  readonly streamId: string;
}

export interface Opening {
  readonly isGenerated: boolean;
  readonly readerHandle: unknown;
}

/**
 * Calls `began` when the header of a text stream on one of the topics arrives. Unlike the stream's end, the header
 * keeps its order among the packets. Call it before the room connects. Throws when the SDK hides its events.
 */
export function watchHeaders(
  room: Room,
  topics: readonly string[],
  began: (text: TextName) => void,
): void {
  watchEvents(room, (event) => {
    const text = textBegunBy(event, room, topics);
    if (text) began(text);
  });
}

/**
 * Returns a function to call at the beginning of a stream's handler: it returns what the SDK does not pass to the
 * handler. Call this before the room connects. Throws as `watchHeaders` does.
 */
export function watchOpenings(room: Room): () => Opening {
  let opening: Opening = { isGenerated: false, readerHandle: undefined };
  watchEvents(room, (event) => {
    const message = messageIn(event, 'roomEvent');
    if (fieldIn(message, 'message', 'case') !== 'textStreamOpened') return;
    const reader = fieldIn(message, 'message', 'value', 'reader');
    opening = {
      isGenerated: fieldIn(reader, 'info', 'generated') === true,
      readerHandle: fieldIn(reader, 'handle', 'id'),
    };
  });
  return () => opening;
}

function watchEvents(room: Room, watch: (event: unknown) => void): void {
  const processEvent: unknown = Reflect.get(room, 'processFfiEvent');
  if (typeof processEvent !== 'function') throw new TypeError('the SDK hides the events of a room');
  Reflect.set(room, 'processFfiEvent', (event: unknown): unknown => {
    watch(event);
    return Reflect.apply(processEvent, room, [event]);
  });
}

function textBegunBy(event: unknown, room: Room, topics: readonly string[]): TextName | undefined {
  const message = messageIn(event, 'roomEvent');
  if (fieldIn(message, 'message', 'case') !== 'streamHeaderReceived') return undefined;
  if (fieldIn(message, 'roomHandle') !== fieldIn(room, 'ffiHandle', 'handle')) return undefined;
  const received = fieldIn(message, 'message', 'value');
  const [identity, streamId, topic] = [
    fieldIn(received, 'participantIdentity'),
    fieldIn(received, 'header', 'streamId'),
    fieldIn(received, 'header', 'topic'),
  ];
  const isText = fieldIn(received, 'header', 'contentHeader', 'case') === 'textHeader';
  if (!isText || typeof topic !== 'string' || !topics.includes(topic)) return undefined;
  if (typeof identity !== 'string' || typeof streamId !== 'string') return undefined;
  return { identity, streamId };
}
