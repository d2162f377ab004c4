import { type Claim, messageIdOf, type Participant } from '@session/contract/room';
import type { Message } from '../shapes.ts';
import { senderKeyOf } from './sender.ts';

/** Whether the content of a stored row is final. A status of null counts as complete. */
export function isComplete(row: Message): boolean {
  return row.status !== 'pending';
}

/** Whether `row` replaces the version `held`: a complete row wins over a pending one, and a longer pending row over a shorter. */
export function supersedes(row: Message, held: Message): boolean {
  if (isComplete(held)) return false;
  return isComplete(row) || row.content.length > held.content.length;
}

/** Returns the participant that sent a row; null when the history does not name it. */
export function participantOf(row: Message): Participant | null {
  const participant = row.metadata?.['participant'];
  if (typeof participant !== 'object' || participant === null) return null;
  const fields = new Map<string, unknown>(Object.entries(participant));
  const identity = fields.get('identity');
  if (typeof identity !== 'string') return null;
  const text = (name: string) => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    identity,
    name: text('name') ?? '',
    sid: text('sid') ?? null,
    kind: text('kind') ?? 'unknown',
  };
}

/** Returns the kind of a row, or `text` when the history does not name it. */
export function kindOf(row: Message): string {
  const kind = row.metadata?.['kind'];
  return typeof kind === 'string' ? kind : 'text';
}

/** Returns the sender and the content of a row. */
export function claimOf(row: Message): Claim {
  return { sender: senderKeyOf(participantOf(row)), content: row.content };
}

/**
 * Returns the id that the room knows a renamed row by, or undefined for a row that was not renamed. The history renames a
 * message whose id another sender used first.
 */
export function renamedFrom(row: Message): string | undefined {
  const { idConflict, rawId } = row.metadata ?? {};
  if (idConflict !== true || typeof rawId !== 'string') return undefined;
  return messageIdOf(row.sessionId, kindOf(row), rawId);
}
