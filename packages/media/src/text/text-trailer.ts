import type { LocalParticipant, TextStreamWriter } from '@livekit/rtc-node';
import { isFields } from '@session/contract/room';
import { fieldIn, messageIn } from '../ffi-event.ts';
import { sdkInternals } from '../sdk-internals.ts';

type Attributes = Readonly<Record<string, string>>;

export type MarkedEnd = (attributes: Attributes) => Promise<void>;

/**
 * Returns a writer, and a function that ends the stream with attributes, for which the SDK's writer has no parameter.
 */
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
  // The SDK ends only the streams in this set, so its own `close` now only sends the remaining text.
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
 * Watches the ends of a room's open text streams with one listener, because the SDK calls each listener for each event
 * of any room.
 */
export class TextTrailers {
  readonly #client = sdkInternals().client;
  readonly #watched = new Map<unknown, (attributes: Attributes) => void>();
  readonly #receive = (event: unknown) => this.#receiveEvent(event);

  /**
   * Calls `ended` with all attributes of a stream, including those of its trailer. Call it in the stream's handler, before
   * any await. Returns a function that frees its resources, and may be called again.
   */
  watch(readerHandle: unknown, ended: (attributes: Attributes) => void): () => void {
    if (readerHandle === undefined) return () => {};
    if (this.#watched.size === 0) this.#client.on('ffi_event', this.#receive);
    this.#watched.set(readerHandle, ended);
    return () => this.#unwatch(readerHandle);
  }

  #unwatch(readerHandle: unknown): void {
    const wasWatched = this.#watched.delete(readerHandle);
    if (wasWatched && this.#watched.size === 0) this.#client.off('ffi_event', this.#receive);
  }

  #receiveEvent(event: unknown): void {
    const message = messageIn(event, 'textStreamReaderEvent');
    const readerHandle = fieldIn(message, 'readerHandle');
    const ended = this.#watched.get(readerHandle);
    if (!ended || fieldIn(message, 'detail', 'case') !== 'eos') return;
    this.#unwatch(readerHandle);
    ended(textsIn(fieldIn(message, 'detail', 'value', 'attributes')));
  }
}

function textsIn(value: unknown): Attributes {
  if (!isFields(value)) return {};
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(value))
    if (typeof text === 'string') texts[name] = text;
  return texts;
}
