import type { QueuedMessage, StorableMessage } from '../message-path.ts';
import { isLost } from './queued-message.ts';
import { greatestKey, SHED_SHARE, type SizedMessage, shedOldest } from './shed.ts';

/** How much may wait in memory: the queue fills only while neither the database nor the disk takes anything. */
export const QUEUE_BYTES = 128 * 1024 * 1024;

const MESSAGE_BYTES = 500;
const CHARACTER_BYTES = 2;

interface WaitingMessage extends SizedMessage {
  readonly queued: QueuedMessage;
}

/**
 * Messages that wait to be stored. Past the limit, the oldest of the session with the most bytes are dropped, and a
 * mark takes their place. So one noisy room costs no other room its history.
 */
export class MessageQueue {
  readonly #limitBytes: number;
  readonly #onShed: (sessionId: string, count: number) => void;
  #waiting: WaitingMessage[] = [];
  readonly #bySession = new Map<string, number>();
  #sizeBytes = 0;

  constructor(limitBytes: number, onShed: (sessionId: string, count: number) => void) {
    this.#limitBytes = limitBytes;
    this.#onShed = onShed;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get messages(): readonly QueuedMessage[] {
    return this.#waiting.map(({ queued }) => queued);
  }

  push(message: StorableMessage): void {
    const waiting = sizeOf(message);
    this.#waiting.push(waiting);
    this.#count(waiting, 1);
    if (this.#sizeBytes > this.#limitBytes) this.#shedSome();
  }

  take(count: number, bytes: number): QueuedMessage[] {
    let sum = 0;
    const end = this.#waiting.findIndex(({ sizeBytes }, index) => {
      sum += sizeBytes;
      return index === count || (index > 0 && sum > bytes);
    });
    const taken = this.#waiting.splice(0, end < 0 ? count : end);
    for (const waiting of taken) this.#count(waiting, -1);
    return taken.map(({ queued }) => queued);
  }

  putBack(batch: readonly QueuedMessage[]): void {
    const waiting = batch.map(sizeOf);
    this.#waiting.unshift(...waiting);
    for (const one of waiting) this.#count(one, 1);
  }

  #shedSome(): void {
    for (;;) {
      const bytes = this.#sizeBytes - this.#limitBytes * (1 - SHED_SHARE);
      const sessionId = greatestKey(this.#bySession);
      if (bytes <= 0 || sessionId === undefined) return;
      const before = this.#waiting;
      const { kept, count } = shedOldest(before, { sessionId, bytes }, sizeOf);
      for (const waiting of before) this.#count(waiting, -1);
      for (const waiting of kept) this.#count(waiting, 1);
      this.#waiting = kept;
      this.#onShed(sessionId, count);
    }
  }

  #count({ queued, sizeBytes }: WaitingMessage, sign: 1 | -1): void {
    this.#sizeBytes += sign * sizeBytes;
    if (isLost(queued)) return;
    const { sessionId } = queued;
    const size = (this.#bySession.get(sessionId) ?? 0) + sign * sizeBytes;
    if (size === 0) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, size);
  }
}

function sizeOf(queued: QueuedMessage): WaitingMessage {
  // A mark counts as 0 bytes, because a session has only a few marks.
  return { queued, sizeBytes: isLost(queued) ? 0 : bytesOf(queued) };
}

export function bytesOf({ content, metadata: { payload } }: StorableMessage): number {
  const payloadLength = payload === undefined ? 0 : JSON.stringify(payload).length;
  return MESSAGE_BYTES + CHARACTER_BYTES * (content.length + payloadLength);
}
