import { bytesOf } from '../history/message-queue.ts';
import { SHED_SHARE } from '../history/shed.ts';
import type { StorableMessage } from '../message-path.ts';

/** While the database is away, it is unknown what the leaders have stored, so everything is kept. */
const KEPT_BYTES = 64 * 1024 * 1024;
const MAX_KEPT = 10_000;

/** The limit for what all sessions of a recorder keep in memory. The session with the most bytes loses its oldest first. */
export class KeptRoom {
  readonly #limitBytes: number;
  readonly #sizes = new Map<KeptMessages, number>();
  #sizeBytes = 0;

  constructor(limitBytes = KEPT_BYTES) {
    this.#limitBytes = limitBytes;
  }

  note(messages: KeptMessages): void {
    const { sizeBytes } = messages;
    this.#sizeBytes += sizeBytes - (this.#sizes.get(messages) ?? 0);
    if (sizeBytes === 0) this.#sizes.delete(messages);
    else this.#sizes.set(messages, sizeBytes);
  }

  shed(): void {
    if (this.#sizeBytes <= this.#limitBytes) return;
    for (;;) {
      const bytes = this.#sizeBytes - this.#limitBytes * (1 - SHED_SHARE);
      const [first, ...others] = this.#sizes.keys();
      if (bytes <= 0 || !first) return;
      others
        .reduce((most, other) => (other.sizeBytes > most.sizeBytes ? other : most), first)
        .dropOldest(bytes);
    }
  }
}

interface KeptMessage {
  readonly message: StorableMessage;
  readonly sizeBytes: number;
}

export class KeptMessages {
  readonly #room: KeptRoom;
  readonly #dropped: (from: number, to: number) => void;
  #kept: KeptMessage[] = [];
  #sizeBytes = 0;

  constructor(room: KeptRoom, dropped: (from: number, to: number) => void) {
    this.#room = room;
    this.#dropped = dropped;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get oldestAt(): number {
    return this.#kept[0]?.message.receivedAt ?? Infinity;
  }

  push(message: StorableMessage): void {
    const sizeBytes = bytesOf(message);
    this.#kept.push({ message, sizeBytes });
    this.#sizeBytes += sizeBytes;
    this.#room.note(this);
    if (this.#kept.length > MAX_KEPT) this.#drop(MAX_KEPT * SHED_SHARE);
    this.#room.shed();
  }

  forgetBefore(at: number): void {
    this.#replace(this.#kept.filter(({ message }) => message.receivedAt >= at));
  }

  take(): StorableMessage[] {
    const taken = this.#kept.map(({ message }) => message);
    this.#replace([]);
    return taken;
  }

  dropOldest(bytes: number): void {
    let freedBytes = 0;
    const last = this.#kept.findIndex(({ sizeBytes }) => {
      freedBytes += sizeBytes;
      return freedBytes >= bytes;
    });
    this.#drop(last < 0 ? this.#kept.length : last + 1);
  }

  #drop(count: number): void {
    const dropped = this.#kept.slice(0, count);
    this.#replace(this.#kept.slice(count));
    const [oldest, newest] = [dropped[0]?.message, dropped.at(-1)?.message];
    if (oldest && newest) this.#dropped(oldest.receivedAt, newest.receivedAt + 1);
  }

  #replace(kept: KeptMessage[]): void {
    this.#kept = kept;
    this.#sizeBytes = kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.#room.note(this);
  }
}
