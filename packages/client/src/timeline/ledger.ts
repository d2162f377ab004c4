import { type Claim, isAgent, isSameMessage, type Participant } from '@session/contract/room';
import {
  createEntry,
  type Entry,
  isGoingOn,
  isSpeaking,
  type LearnedRow,
  type LiveMessage,
  type Mark,
  type OwnMessage,
} from './entry.ts';
import {
  claimOf,
  isComplete,
  isErased,
  renamedFrom,
  senderKeyOf,
  supersedes,
} from './stored-row.ts';

export interface Arrival {
  readonly anchor: string;
  readonly isLate: boolean;
}

const MAX_LOOSE = 500;

/**
 * All known messages, one entry each. An entry joins what the history (`learn`), the room (`hear`) and this client (`say`)
 * report. The joins commute, and repeating one changes nothing.
 */
export class Ledger {
  /** Entries with a stored row, by the row's id: those in a window, and newer versions of rows outside all windows. */
  readonly #rows = new Map<string, Entry>();
  /** Entries without a stored row. They have no unique id, because two senders can use the same one. */
  readonly #loose = new Set<Entry>();
  readonly unseen = new Set<Entry>();
  readonly #renamed = new Map<Entry, string>();
  #clock = 0;

  get clock(): number {
    return this.#clock;
  }

  get loose(): Iterable<Entry> {
    return this.#loose;
  }

  learn(row: LearnedRow): Entry {
    const alias = renamedFrom(row);
    const claim = claimOf(row);
    const matches = this.#matches(row.id, isErased(row) ? undefined : claim);
    if (alias !== undefined) matches.push(...this.#matches(alias, claim));
    const known = this.#rows.get(row.id);
    const entry = known ?? matches[0] ?? createEntry(row.id, this.#tick());
    for (const match of matches) this.#absorb(entry, match);
    if (alias !== undefined) this.#renamed.set(entry, alias);
    this.#rows.set(row.id, entry);
    const isNews = !entry.stored || supersedes(row, entry.stored);
    if (isNews || matches.length > 0 || row.deliveredTo) entry.item = undefined;
    entry.deliveredTo = row.deliveredTo ?? entry.deliveredTo;
    entry.id = row.id;
    entry.stored = isNews ? row : entry.stored;
    entry.isLate = false;
    if (isComplete(entry.stored)) {
      Object.assign(entry, { live: undefined, own: undefined, mark: undefined });
    }
    for (const other of this.#loose) {
      // Entries that arrived later stay below this row, whose time is now known.
      if (other.seen > entry.seen && row.timestamp > other.anchor) other.anchor = row.timestamp;
    }
    return entry;
  }

  hear(live: LiveMessage, arrival: Arrival): Entry | undefined {
    const { id, content, metadata } = live.message;
    const claim = { sender: senderKeyOf(metadata.participant), content };
    const known = this.#find(id, claim);
    if (known?.live?.stage === 'final' || isComplete(known?.stored)) return undefined;
    const entry = known ?? this.#createLoose(id, arrival);
    // A message counts as said when its last word has been said.
    if (isSpeaking(entry) && !isGoingOn(live)) {
      Object.assign(entry, { seen: this.#tick(), ...arrival });
    }
    entry.live = live;
    entry.item = undefined;
    return entry;
  }

  say(own: OwnMessage, arrival: Arrival): Entry | undefined {
    const claim = { sender: senderKeyOf(own.participant), content: own.content };
    const known = this.#find(own.id, claim);
    if (isComplete(known?.stored)) return undefined;
    const entry = known ?? this.#createLoose(own.id, arrival);
    Object.assign(entry, { own, mark: 'sending', item: undefined });
    return entry;
  }

  participantLeft(leaver: Pick<Participant, 'identity' | 'kind'>, arrival: Arrival): void {
    for (const { live } of this.#goingOn()) {
      if (!live) continue;
      const { role, metadata } = live.message;
      const isOwn = metadata.participant?.identity === leaver.identity;
      const mayBeTranscribed = role === 'user' && isAgent(leaver);
      if (isOwn || mayBeTranscribed) this.hear({ ...live, stage: 'broken' }, arrival);
    }
  }

  roomLost(): void {
    for (const entry of this.#goingOn()) {
      entry.live = undefined;
      entry.item = undefined;
      if (!entry.stored && !entry.own) this.#drop(entry);
    }
  }

  mark(key: string, mark: Mark): void {
    for (const entry of this.#loose) {
      if (entry.key === key) Object.assign(entry, { mark, item: undefined });
    }
  }

  settle(head: string): void {
    for (const entry of this.#loose) {
      if (!entry.isLate) continue;
      entry.isLate = false;
      if (head > entry.anchor) entry.anchor = head;
    }
  }

  forget(entry: Entry): void {
    this.#rows.delete(entry.id);
    this.#renamed.delete(entry);
  }

  forgetBefore(timestamp: string): void {
    for (const entry of this.#loose) {
      if (entry.anchor < timestamp && !entry.isLate && !entry.own) this.#drop(entry);
    }
  }

  /** Drops the oldest unstored messages of others above `MAX_LOOSE`, because senders choose how many they send. */
  trim(): boolean {
    const dropped = [...this.#loose].filter(({ own }) => !own).slice(0, -MAX_LOOSE);
    for (const entry of dropped) this.#drop(entry);
    return dropped.length > 0;
  }

  reset(): void {
    const entries = [...this.#loose, ...this.#rows.values()];
    this.#loose.clear();
    this.unseen.clear();
    this.#rows.clear();
    this.#renamed.clear();
    for (const entry of entries) {
      if (!entry.own) continue;
      const { live } = entry;
      const kept = live?.stage === 'final' ? live : undefined;
      Object.assign(entry, { stored: undefined, live: kept, isLate: true, item: undefined });
      this.#loose.add(entry);
    }
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }

  #drop(entry: Entry): void {
    this.#loose.delete(entry);
    this.unseen.delete(entry);
  }

  #goingOn(): Entry[] {
    return [...this.#loose, ...this.#rows.values()].filter(({ live }) => live && isGoingOn(live));
  }

  #createLoose(id: string, arrival: Arrival): Entry {
    const entry = Object.assign(createEntry(id, this.#tick()), arrival);
    this.#loose.add(entry);
    if (this.#loose.size > 4 * MAX_LOOSE) this.trim();
    return entry;
  }

  #find(id: string, claim: Claim): Entry | undefined {
    const row = this.#rows.get(id);
    if (row && isStoredAs(row, claim)) return row;
    for (const [entry, alias] of this.#renamed) {
      if (alias === id && isStoredAs(entry, claim)) return entry;
    }
    return this.#matches(id, claim)[0];
  }

  #matches(id: string, claim?: Claim): Entry[] {
    return [...this.#loose].filter(
      (entry) => entry.id === id && (!claim || isSameMessage(claimOfLoose(entry), claim)),
    );
  }

  #absorb(entry: Entry, loose: Entry): void {
    this.#loose.delete(loose);
    if (loose === entry) return;
    this.unseen.delete(loose);
    entry.seen = Math.min(entry.seen, loose.seen);
    if (!isComplete(entry.stored)) {
      entry.live ??= loose.live;
      entry.own ??= loose.own;
      entry.mark ??= loose.mark;
    }
  }
}

function isStoredAs({ stored }: Entry, claim: Claim): boolean {
  return stored !== undefined && (isErased(stored) || isSameMessage(claimOf(stored), claim));
}

function claimOfLoose({ live, own }: Entry): Claim {
  const participant = live?.message.metadata.participant ?? own?.participant ?? null;
  return { sender: senderKeyOf(participant), content: live?.message.content ?? own?.content ?? '' };
}
