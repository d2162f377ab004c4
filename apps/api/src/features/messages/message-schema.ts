import { Id, type Message } from '@session/contract';
import type { MessageRow } from '@session/db';
import * as z from 'zod';

/** The id of a message's session in a path. */
export const messageParams = z.object({ sessionId: Id });

/** Gives a stored message as the API gives it. */
export function messageOf(sessionId: string, row: MessageRow): Message {
  return { ...row, sessionId };
}
