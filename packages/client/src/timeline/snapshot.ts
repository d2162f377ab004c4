import type { Message } from '../shapes.ts';
import { type Entry, isGoingOn, isSpeaking, type LiveMessage, type TimelineItem } from './entry.ts';
import { timestampOf } from './row-window.ts';
import { compareTimes, isComplete, kindOf, participantOf } from './stored-row.ts';

export interface TimelineSnapshot {
  readonly items: readonly TimelineItem[];
  readonly hasOlder: boolean;
  /** How many messages have arrived since the reader left the end of the list. */
  readonly unseen: number;
  /** Whether rows may be missing: at first, and after this client was cut off from the room. */
  readonly catchingUp: boolean;
}

/** A part of a history far from its end. It contains stored rows only. */
export interface DetachedSnapshot {
  readonly items: readonly TimelineItem[];
  readonly hasOlder: boolean;
}

function tierOf(entry: Entry): number {
  if (isSpeaking(entry)) return 2;
  return entry.isLate ? 1 : 0;
}

/**
 * Returns the stored rows by their time, with the unstored messages between them. An unstored message is below
 * everything that this client had when the message arrived. Late messages are below all rows, and unfinished messages
 * come last. No two clocks are compared.
 */
export function itemsOf(rows: readonly Entry[], unstored: Iterable<Entry>): TimelineItem[] {
  const loose = [...unstored].toSorted(compareLoose);
  const items: TimelineItem[] = [];
  let next = 0;
  for (const row of rows) {
    const timestamp = timestampOf(row);
    for (let entry = loose[next]; entry && isAbove(entry, timestamp); entry = loose[next]) {
      items.push(itemOf(entry));
      next += 1;
    }
    items.push(itemOf(row));
  }
  for (const entry of loose.slice(next)) items.push(itemOf(entry));
  return items;
}

function isAbove(entry: Entry, timestamp: string): boolean {
  return tierOf(entry) === 0 && entry.anchor < timestamp;
}

function compareLoose(a: Entry, b: Entry): number {
  return tierOf(a) - tierOf(b) || compareTimes(a.anchor, b.anchor) || a.seen - b.seen;
}

function itemOf(entry: Entry): TimelineItem {
  entry.item ??= makeItem(entry);
  return entry.item;
}

function makeItem(entry: Entry): TimelineItem {
  const { key, id, stored, live, own, mark, deliveredTo } = entry;
  const base = { key, id, timestamp: stored?.timestamp ?? null, deliveredTo };
  if (live && isLiveShown(stored, live)) {
    const { role, kind, content, metadata } = live.message;
    const said = mark === 'unrecorded' ? mark : 'unconfirmed';
    const state = isGoingOn(live) ? 'speaking' : said;
    const { participant } = metadata;
    return { ...base, role, kind, content, participant, metadata: { ...metadata }, state };
  }
  if (stored) {
    const { role, content, metadata } = stored;
    const kind = kindOf(stored);
    const participant = participantOf(stored);
    const state = isComplete(stored) ? 'complete' : 'pending';
    return { ...base, role, kind, content, participant, metadata, state };
  }
  if (!own) throw new Error('the entry is empty');
  const { content, participant } = own;
  const state = mark ?? 'sending';
  return { ...base, role: 'user', kind: 'text', content, participant, metadata: null, state };
}

function isLiveShown(stored: Message | undefined, live: LiveMessage): boolean {
  if (stored === undefined) return true;
  return !isComplete(stored) && (live.stage === 'final' || live.stage === 'open');
}
