import { type Claim, conflictIdOf, isSameMessage, senderOf } from '@session/contract/room';
import type { NewMessageRow } from '../../schema/messages.ts';

export interface Origin extends Claim {
  readonly kind: string;
}

/**
 * `others`: messages under ids of other senders' messages in `distinct`. `ignored`: kept out by another message of their own
 * sender.
 */
export interface DistinctIds {
  readonly distinct: readonly NewMessageRow[];
  readonly others: readonly NewMessageRow[];
  readonly ignored: readonly NewMessageRow[];
}

export function keyOf(message: Pick<NewMessageRow, 'sessionId' | 'id'>): string {
  return `${message.sessionId}/${message.id}`.toLowerCase();
}

export function originOf({ metadata, kind, content }: NewMessageRow): Origin {
  const identity = identityIn(metadata);
  return { sender: identity === null ? null : senderOf(identity), content, kind };
}

/**
 * Returns whether two messages with the same id are from one sender, by the rule of the statement. Every recorder may report
 * a gap.
 */
export function isSameSender(one: Origin, other: Origin): boolean {
  if (one.kind === 'recording_gap' && other.kind === 'recording_gap') return true;
  return isSameMessage(one, other);
}

export const IS_SAME_SENDER = `(
    -- First, because it costs a tenth of what follows and decides about nearly all repetitions.
    -- Never null, or a message of an unknown sender would be neither stored nor returned.
    coalesce(
      former.metadata #>> '{participant,identity}' = excluded.metadata #>> '{participant,identity}',
      false
    )
    or coalesce(
      ${sqlSenderOf('former')} = ${sqlSenderOf('excluded')},
      former.content = excluded.content
    )
    or (former.kind = 'recording_gap' and excluded.kind = 'recording_gap')
  )`;

/**
 * Chooses one message for each id, from the sender of the first one: the first complete message, otherwise the longest
 * pending one.
 */
export function withDistinctIds(batch: readonly NewMessageRow[]): DistinctIds {
  const groups = Map.groupBy(batch.entries(), ([, message]) => keyOf(message));
  if (groups.size === batch.length) return { distinct: batch, others: [], ignored: [] };
  const chosen = new Set<number>();
  const others = new Set<number>();
  const ignored: NewMessageRow[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (!first) continue;
    const holder = originOf(first[1]);
    const own = group.filter(([, message]) => isSameSender(holder, originOf(message)));
    const [index, kept] = own.reduce(betterOf, first);
    chosen.add(index);
    for (const [, message] of own) if (isOtherText(message, kept)) ignored.push(message);
    for (const entry of group) if (!own.includes(entry)) others.add(entry[0]);
  }
  return {
    distinct: batch.filter((_, index) => chosen.has(index)),
    others: batch.filter((_, index) => others.has(index)),
    ignored,
  };
}

/**
 * Returns the ids under which a message may be stored when another sender's message has its id, the preferred one first.
 * They are derived from its sender, or from its content if the room does not name the sender, for example for a packet of
 * the API.
 */
export function conflictIdsOf(message: NewMessageRow): readonly [string, ...string[]] {
  const { sessionId, id, content } = message;
  const { sender } = originOf(message);
  const byContent = conflictIdOf(sessionId, id, { sender: null, content });
  if (sender === null) return [byContent];
  const bySender = conflictIdOf(sessionId, id, { sender, content });
  // In a room, a user's identity has a suffix. An identity that could have one, but has none, comes from the API.
  const isFromApi = identityIn(message.metadata) === sender && senderOf(`${sender}-`) === sender;
  return isFromApi ? [byContent, bySender] : [bySender, byContent];
}

type Entry = readonly [index: number, message: NewMessageRow];

function betterOf(kept: Entry, next: Entry): Entry {
  if (kept[1].status !== 'pending') return kept;
  const isBetter = next[1].status !== 'pending' || next[1].content.length > kept[1].content.length;
  return isBetter ? next : kept;
}

function isOtherText(message: NewMessageRow, kept: NewMessageRow): boolean {
  return message.status === 'complete' && message.content !== kept.content;
}

export function sqlSenderOf(row: string): string {
  const user = 'user-[0-9a-f-]{36}';
  return `regexp_replace(${row}.metadata #>> '{participant,identity}', '^(${user})-.*$', '\\1')`;
}

function identityIn(metadata: object | null): string | null {
  if (metadata === null || !('participant' in metadata)) return null;
  const { participant } = metadata;
  if (typeof participant !== 'object' || participant === null) return null;
  return 'identity' in participant && typeof participant.identity === 'string'
    ? participant.identity
    : null;
}
