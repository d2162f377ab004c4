import type { LatestMessages, Message } from '@session/contract';
import type { HistoryPage } from '../../src/index.ts';

export const SESSION = '019a9f3d-7d40-7f64-ac91-4f5a6b7c8d9e';

/** A message to store. An unknown sender is null. */
export interface Append {
  readonly id: string;
  readonly sender: string | null;
  readonly content: string;
  readonly status: 'pending' | 'complete';
}

interface Held {
  readonly sender: string | null;
  row: Message;
  /** The time under which `latest` lists the current version: the row's timestamp, or its last change. */
  seenAt: string;
}

/** The stored history in memory, by the rules of the contract. */
export class History {
  readonly #held = new Map<string, Held>();
  #clock = Date.parse('2026-11-21T08:00:00.000Z');
  /** The time at or below which nothing is stored any more, after a restore. */
  #floor = '';

  get rows(): readonly Message[] {
    return [...this.#held.values()].map(({ row }) => row);
  }

  seenAt(id: string): string {
    return this.#held.get(id)?.seenAt ?? '';
  }

  find({ id, sender, content }: Append): Message | undefined {
    const held = [this.#held.get(id), this.#held.get(renamed(id, sender))];
    return held.find((one) => one && isSame(one, { sender, content }))?.row;
  }

  /**
   * Stores a message. The first complete message of an id wins, a pending message grows and is completed in its place, and
   * a message of another sender under the same id is renamed.
   */
  append(message: Append): void {
    const { id, sender } = message;
    const held = this.#held.get(id);
    const isTaken = held !== undefined && !isSame(held, message);
    this.#store(message, isTaken ? renamed(id, sender) : id);
  }

  page(cursor: string | undefined, limit: number): HistoryPage {
    const rows = this.rows.toReversed();
    const start = cursor === undefined ? 0 : rows.findIndex(({ id }) => id === cursor) + 1;
    const items = rows.slice(start, start + limit);
    const hasMore = start + limit < rows.length;
    return { items, nextCursor: hasMore ? (items.at(-1)?.id ?? null) : null };
  }

  /** Deletes the oldest messages, as retention does. */
  deleteOldest(count: number): void {
    for (const { id } of this.rows.slice(0, count)) this.#held.delete(id);
  }

  /** Loses the newest messages, as a restore to an earlier time does. */
  restore(lost: number): void {
    this.#floor = this.#tick();
    for (const { id } of this.rows.slice(-lost)) this.#held.delete(id);
  }

  latest(since: string, limit: number): LatestMessages {
    const left = [...this.#held.values()].map(({ seenAt }) => seenAt);
    const end =
      left
        .filter((at) => at <= this.#floor)
        .toSorted()
        .at(-1) ?? '1970';
    if (since <= this.#floor && since > end) {
      return { items: [], nextSince: end, hasMore: left.some((at) => at > end), reset: true };
    }
    const changed = [...this.#held.values()].filter(({ seenAt }) => seenAt > since);
    changed.sort((a, b) => (a.seenAt < b.seenAt ? -1 : 1));
    const shown = changed.slice(0, limit);
    const nextSince = shown.at(-1)?.seenAt ?? since;
    const items = shown.map(({ row }) => row);
    return { items, nextSince, hasMore: changed.length > limit };
  }

  #store({ id: rawId, sender, content, status }: Append, id: string): void {
    const held = this.#held.get(id);
    if (held) {
      const grows = status === 'complete' || content.length > held.row.content.length;
      if (held.row.status !== 'pending' || !grows) return;
      held.seenAt = this.#tick();
      held.row = { ...held.row, content, status };
      return;
    }
    const timestamp = this.#tick();
    const participant = sender === null ? null : { identity: sender, name: '', kind: 'standard' };
    const conflict = id === rawId ? {} : { idConflict: true };
    const metadata = { kind: 'text', participant, rawId, ...conflict };
    const rest = { role: 'user', metadata, timestamp, createdAt: timestamp } as const;
    const row = { id, sessionId: SESSION, content, status, ...rest };
    this.#held.set(id, { sender, row, seenAt: timestamp });
  }

  #tick(): string {
    this.#clock += 1;
    return new Date(this.#clock).toISOString();
  }
}

function renamed(id: string, sender: string | null): string {
  return `${id} of ${sender === null ? '' : userOf(sender)}`;
}

/** Returns an identity without the suffix that it has in a room. */
function userOf(sender: string): string {
  return sender.startsWith('user-') ? sender.slice(0, 41) : sender;
}

function isSame(held: Held, { sender, content }: Pick<Append, 'sender' | 'content'>): boolean {
  if (held.sender === null || sender === null) return held.row.content === content;
  return userOf(held.sender) === userOf(sender);
}
