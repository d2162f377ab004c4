import { Id, Since } from '@session/contract';
import * as z from 'zod';

const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)_([\da-f-]{36})$/;

const Position = z.object({ at: Since, id: Id });

export const TimeCursor = z.string().transform((text, context) => {
  const [, at, id] = CURSOR.exec(text) ?? [];
  const parsed = Position.safeParse({ at, id });
  if (parsed.success) return parsed.data;
  context.addIssue('the nextCursor of the page before is needed');
  return z.NEVER;
});

export function timeCursor(at: string, id: string): string {
  return `${at}_${id}`;
}
