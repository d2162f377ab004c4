import type { SequenceNumber } from '@session/contract/room';
import type { AnnouncedNumber } from '@session/db';
import { repeat } from '@session/kit';
import type { Logger } from 'pino';
import type { RecorderQueries } from '../queries.ts';

interface AnnouncedNumbersDeps {
  readonly queries: Pick<RecorderQueries, 'announceNumbers'>;
  readonly log: Pick<Logger, 'debug'>;
  readonly everyMs: number;
}

/**
 * Stores which number senders say was their last. While the database is away, the newest of each waits. At the end of
 * this recorder none is stored: the next one reads them from those who are still in the room.
 */
export class AnnouncedNumbers implements Disposable {
  readonly #deps: AnnouncedNumbersDeps;
  readonly #stop = new AbortController();
  #waiting = new Map<string, AnnouncedNumber>();

  constructor(deps: AnnouncedNumbersDeps) {
    this.#deps = deps;
    void repeat(deps.everyMs, this.#stop.signal, () => this.#store());
  }

  note(sessionId: string, identity: string, seq: SequenceNumber): void {
    this.#waiting.set([sessionId, identity, seq.q].join(' '), { sessionId, identity, ...seq });
  }

  async #store(): Promise<void> {
    const stored = this.#waiting;
    if (stored.size === 0) return;
    this.#waiting = new Map();
    try {
      await this.#deps.queries.announceNumbers([...stored.values()]);
    } catch (err) {
      this.#waiting = new Map([...stored, ...this.#waiting]);
      this.#deps.log.debug({ err }, 'the last numbers of senders are not stored, retrying');
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
