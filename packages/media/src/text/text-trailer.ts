import type { LocalParticipant, Room, TextStreamWriter } from '@livekit/rtc-node';
import { isFields } from '@session/contract/room';
import { fieldIn, messageIn } from '../ffi-event.ts';
import { sdkInternals } from '../sdk-internals.ts';

type Attributes = Readonly<Record<string, string>>;

export type MarkedEnd = (attributes: Attributes) => Promise<void>;

/** Returns a writer, and a function that ends the stream with attributes, for which the SDK's writer has no parameter. */
export async function openTextStream(
  self: LocalParticipant,
  options: { readonly topic: string; readonly attributes: Attributes; readonly streamId?: string },
): Promise<{ readonly stream: TextStreamWriter; readonly endMarked: MarkedEnd }> {
  const { client } = sdkInternals();
  const handles = new Map<unknown, unknown>();
  const remember = (event: unknown) => {
    const writer = fieldIn(messageIn(event, 'textStreamOpen'), 'result', 'value');
    const handle = fieldIn(writer, 'handle', 'id');
    if (handle !== undefined) handles.set(fieldIn(writer, 'info', 'streamId'), handle);
  };
  client.on('ffi_event', remember);
  try {
    const stream = await self.streamText(options);
    const handle = handles.get(stream.info.streamId);
    if (handle === undefined) throw new Error('the SDK does not show the handle of a text stream');
    return { stream, endMarked: (attributes) => endMarked(self, stream, handle, attributes) };
  } finally {
    client.off('ffi_event', remember);
  }
}

async function endMarked(
  self: LocalParticipant,
  stream: TextStreamWriter,
  writerHandle: unknown,
  attributes: Attributes,
): Promise<void> {
  const openWriters: unknown = Reflect.get(self, 'openStreamWriters');
  const close: unknown = Reflect.get(self, 'textStreamWriterClose');
  if (!(openWriters instanceof Set) || typeof close !== 'function') {
    throw new TypeError('the SDK cannot end a text stream with attributes');
  }
  // The SDK ends only the streams in this set. So its own `close` sends what is waiting, and leaves the end to us.
  const isOpen = openWriters.delete(writerHandle);
  try {
    await stream.close();
    if (isOpen) await Reflect.apply(close, self, [{ writerHandle, attributes }]);
  } catch (error) {
    // The SDK frees the streams of the set when it leaves the room.
    if (isOpen) openWriters.add(writerHandle);
    throw error;
  }
}

/**
 * Calls `ended` with all attributes of the stream that was just opened, including those of its trailer. Call it in the
 * stream's handler, before any await. Returns a function that frees its resources.
 */
export function watchTrailer(room: Room, ended: (attributes: Attributes) => void): () => void {
  const { client } = sdkInternals();
  const readers: unknown = Reflect.get(room, 'streamReaders');
  const handle: unknown = readers instanceof Map ? [...readers.keys()].at(-1) : undefined;
  const receive = (event: unknown) => {
    const message = messageIn(event, 'textStreamReaderEvent');
    if (fieldIn(message, 'readerHandle') !== handle) return;
    if (fieldIn(message, 'detail', 'case') !== 'eos') return;
    stop();
    ended(textsIn(fieldIn(message, 'detail', 'value', 'attributes')));
  };
  const stop = () => void client.off('ffi_event', receive);
  if (handle !== undefined) client.on('ffi_event', receive);
  return stop;
}

function textsIn(value: unknown): Attributes {
  if (!isFields(value)) return {};
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(value))
    if (typeof text === 'string') texts[name] = text;
  return texts;
}
