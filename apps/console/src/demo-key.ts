import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Whether `request` has the key of the demo account. The time that this takes says nothing about the key. */
export function hasDemoKey({ headers }: IncomingMessage, key: string): boolean {
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${key}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
