import { fieldIn, messageIn } from '../src/ffi-event.ts';
import { sdkInternals } from '../src/sdk-internals.ts';

/** Resolves when the end of that text stream has arrived in any room of this process, before the SDK reports it to readers. */
export async function untilArrived(streamId: string): Promise<void> {
  const { client } = sdkInternals();
  const arrived = Promise.withResolvers<void>();
  const receive = (event: unknown) => {
    const message = fieldIn(messageIn(event, 'roomEvent'), 'message');
    if (fieldIn(message, 'case') !== 'streamTrailerReceived') return;
    if (fieldIn(message, 'value', 'trailer', 'streamId') === streamId) arrived.resolve();
  };
  client.on('ffi_event', receive);
  try {
    await arrived.promise;
  } finally {
    client.off('ffi_event', receive);
  }
}

/** Collects the words of text streams that arrive in any room of this process, while the streams go on. */
export function listenToWords(): { readonly text: string; stop(): void } {
  const { client } = sdkInternals();
  const parts: string[] = [];
  const receive = (event: unknown) => {
    const message = fieldIn(messageIn(event, 'roomEvent'), 'message');
    if (fieldIn(message, 'case') !== 'streamChunkReceived') return;
    const content = fieldIn(message, 'value', 'chunk', 'content');
    if (content instanceof Uint8Array) parts.push(Buffer.from(content).toString());
  };
  client.on('ffi_event', receive);
  return {
    get text() {
      return parts.join('');
    },
    stop: () => void client.off('ffi_event', receive),
  };
}

/** Delays what the SDK's native half reports of the words and ends of texts, as its threads do on a busy machine. */
export function delayTexts(delayMs: number): Disposable {
  const { client } = sdkInternals();
  const emit = client.emit.bind(client);
  client.emit = (name, ...args) => {
    if (messageIn(args[0], 'textStreamReaderEvent') === undefined) return emit(name, ...args);
    setTimeout(() => emit(name, ...args), delayMs);
    return true;
  };
  return {
    [Symbol.dispose]: () => {
      client.emit = emit;
    },
  };
}
