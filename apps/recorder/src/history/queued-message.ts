import type { RoomMessage } from '@session/contract/room';
import type { NewMessageRow } from '@session/db';
import * as z from 'zod';

/** Messages of a session that were heard and could not be kept: where they stood, the history has a gap. */
export interface Loss {
  readonly kind: 'loss';
  readonly sessionId: string;
  /** Milliseconds since the epoch: when the first of them was received, */
  readonly receivedAt: number;
  /** and when the last of them was. */
  readonly until: number;
  readonly count: number;
}

/** What waits for the database. */
export type Entry = (RoomMessage & Pick<NewMessageRow, 'intervalId'>) | Loss;

const Place = z.looseObject({ sessionId: z.uuid(), receivedAt: z.number() });
const LossShape = Place.extend({ kind: z.literal('loss'), until: z.number(), count: z.number() });
const MessageShape = Place.extend({
  id: z.uuid(),
  role: z.enum(['user', 'assistant', 'system']),
  status: z.enum(['pending', 'complete']).nullable(),
  kind: z.string(),
  content: z.string(),
  metadata: z.looseObject({ kind: z.string() }),
});

/** Whether `entry` stands for messages that are lost, and is not one itself. */
export function isLoss(entry: Entry): entry is Loss {
  return entry.kind === 'loss';
}

/** Gives what a line of JSON says, or undefined when it is none of ours, as after a fault of the disk. */
export function parseEntry(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry {
  return LossShape.safeParse(value).success || MessageShape.safeParse(value).success;
}

/** Gives when the first of them was received: one that was held back stands behind younger ones. */
export function oldestOf(entries: readonly Entry[]): number | undefined {
  return entries.reduce<number | undefined>(
    (oldest, { receivedAt }) => Math.min(oldest ?? receivedAt, receivedAt),
    undefined,
  );
}
