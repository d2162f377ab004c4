import {
  type Claim,
  isFields,
  messageIdOf,
  type Participant,
  senderOf,
} from '@session/contract/room';
import type { Message } from '../shapes.ts';

export function compareTimes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the `since` that skips a complete row. An imported row was stored later than its timestamp. */
export function storedAt({ createdAt, metadata, timestamp }: Message): string {
  return metadata?.['source'] === 'import' ? createdAt : timestamp;
}

export function isComplete(row: Message | undefined): boolean {
  return row !== undefined && row.status !== 'pending';
}

export function isErased({ metadata }: Message): boolean {
  return metadata?.['erased'] !== undefined;
}

export function supersedes(row: Message, held: Message): boolean {
  if (isErased(row) !== isErased(held)) return isErased(row);
  if (isComplete(held)) return false;
  return isComplete(row) || row.content.length > held.content.length;
}

export function participantOf(row: Message): Participant | null {
  const participant = row.metadata?.['participant'];
  if (!isFields(participant)) return null;
  const { identity, name, sid, kind } = participant;
  if (typeof identity !== 'string') return null;
  return {
    identity,
    name: textOr(name, ''),
    sid: textOr(sid, null),
    kind: textOr(kind, 'unknown'),
  };
}

export function kindOf(row: Message): string {
  return textOr(row.metadata?.['kind'], 'text');
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}

export function senderKeyOf(participant: Pick<Participant, 'identity'> | null): string | null {
  return participant && senderOf(participant.identity);
}

export function claimOf(row: Message): Claim {
  return { sender: senderKeyOf(participantOf(row)), content: row.content };
}

/**
 * Returns the room's id of a row that was renamed because another sender used the id first; undefined for other rows.
 */
export function renamedFrom(row: Message): string | undefined {
  const { idConflict, rawId } = row.metadata ?? {};
  if (idConflict !== true || typeof rawId !== 'string') return undefined;
  return messageIdOf(row.sessionId, kindOf(row), rawId);
}
