import type { Room } from '@livekit/rtc-node';
import { fieldIn, messageIn } from '../ffi-event.ts';

export interface TextName {
  readonly identity: string;
  readonly streamId: string;
}

/**
 * Calls `began` when the header of a text stream on one of the topics arrives. Unlike the stream's end, the header keeps its
 * order among the packets. Call it before the room connects. Throws when the SDK hides its events.
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
 * Returns a function to call at the beginning of a stream's handler: it returns whether an agent published the stream in its
 * sender's name. Call this before the room connects. Throws as `watchHeaders` does.
 */
export function watchGenerated(room: Room): () => boolean {
  let isGenerated = false;
  watchEvents(room, (event) => {
    const message = messageIn(event, 'roomEvent');
    if (fieldIn(message, 'message', 'case') !== 'textStreamOpened') return;
    isGenerated = fieldIn(message, 'message', 'value', 'reader', 'info', 'generated') === true;
  });
  return () => isGenerated;
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
