import { type Claim, isSameMessage } from '@session/contract/room';
import type { Entry, Mark } from './entry.ts';
import { senderKeyOf } from './sender.ts';

/** The entries without a stored row. An id does not name one alone: two senders can use it. */
export class LooseEntries extends Set<Entry> {
  /** Without a claim, entries of all senders match. */
  matches(id: string, claim?: Claim): Entry[] {
    return [...this].filter(
      (entry) => entry.id === id && (!claim || isSameMessage(claimOfLoose(entry), claim)),
    );
  }

  mark(key: string, mark: Mark): void {
    for (const entry of this) {
      if (entry.key === key) Object.assign(entry, { mark, item: undefined });
    }
  }

  /** Moves all late entries behind `head`, where they would stand if they arrived now. */
  settle(head: string): void {
    for (const entry of this) {
      if (!entry.isLate) continue;
      entry.isLate = false;
      if (head > entry.anchor) entry.anchor = head;
    }
  }

  /** Keeps everything that arrived after `entry` below its row, now that the row's time is known. */
  raise({ seen }: Entry, timestamp: string): void {
    for (const other of this) {
      if (other.seen > seen && timestamp > other.anchor) other.anchor = timestamp;
    }
  }

  /** Forgets messages of others from before `timestamp`. Our own messages stay. */
  forgetBefore(timestamp: string): void {
    for (const entry of this) {
      if (entry.anchor < timestamp && !entry.isLate && !entry.own) this.delete(entry);
    }
  }
}

function claimOfLoose({ live, own }: Entry): Claim {
  const participant = live?.message.metadata.participant ?? own?.participant ?? null;
  return { sender: senderKeyOf(participant), content: live?.message.content ?? own?.content ?? '' };
}
