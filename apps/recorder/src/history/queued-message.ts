import * as z from 'zod';
import type { LostMessages, QueuedMessage, StorableMessage } from '../message-path.ts';

const Received = z.looseObject({ sessionId: z.uuid(), receivedAt: z.number() });
const LostShape = Received.extend({
  kind: z.literal('loss'),
  until: z.number(),
  count: z.number(),
  led: z.object({ receivedAt: z.number(), until: z.number(), intervalId: z.string() }).optional(),
});
const MessageShape = Received.extend({
  id: z.uuid(),
  role: z.enum(['user', 'assistant', 'system']),
  status: z.enum(['pending', 'complete']).nullable(),
  kind: z.string(),
  content: z.string(),
  metadata: z.looseObject({ kind: z.string() }),
});

export function isLost(queued: QueuedMessage): queued is LostMessages {
  return queued.kind === 'loss';
}

export function lostMessage(message: StorableMessage): LostMessages {
  const { sessionId, receivedAt, intervalId } = message;
  const span = { receivedAt, until: receivedAt };
  const led = intervalId === undefined ? undefined : { ...span, intervalId };
  return { kind: 'loss', sessionId, ...span, count: 1, ...(led && { led }) };
}

export function parseQueued(line: string): QueuedMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isQueued(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isQueued(value: unknown): value is QueuedMessage {
  // Messages first: a shape that does not fit costs more than one that does.
  return MessageShape.safeParse(value).success || LostShape.safeParse(value).success;
}

/** Returns when the oldest word of a message was received. The `receivedAt` of a text is the time of its end. */
export function sinceOf(queued: QueuedMessage): number {
  return isLost(queued) ? queued.receivedAt : (queued.since ?? queued.receivedAt);
}

/**
 * Returns when the oldest word of `messages` was received. Checks all of them, because a held-back message may follow
 * younger ones.
 */
export function sinceOfAll(messages: readonly QueuedMessage[]): number {
  // Not `Math.min(...)`, because the number of arguments of a function is limited.
  return messages.reduce((oldest, queued) => Math.min(oldest, sinceOf(queued)), Infinity);
}
