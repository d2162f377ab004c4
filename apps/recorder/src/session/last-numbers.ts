import type { SequenceNumber } from '@session/contract/room';
import { type LastNumber, MOST_SEQUENCES } from '@session/db';
import { aborted, repeat } from '@session/kit';
import type { Logger } from 'pino';
import type { PendingMessages } from '../message-path.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { RecorderQueries } from '../queries.ts';
import type { Timing } from '../timing.ts';

const STORED_AT_ONCE = 500;
/** A last number may overtake the messages that it counts by this much, because it takes another connection. */
const OVERTAKING_MS = 3000;

interface LastNumbersDeps {
  readonly queries: Pick<RecorderQueries, 'noteLastNumbers'>;
  readonly writer: Pick<PendingMessages, 'waiting'>;
  readonly undecidedSince: (sessionId: string) => number;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug'>;
  readonly timing: Pick<Timing, 'heartbeatMs'>;
}

interface NotedNumber extends LastNumber {
  readonly notedAt: number;
}

/**
 * Stores the last numbers of senders. Each number waits until all messages of its session that it may count are stored,
 * because they would otherwise count as missing. Only the newest number of each sequence waits.
 */
export class LastNumbers {
  readonly #deps: LastNumbersDeps;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  readonly #waiting = new Map<string, Map<string, NotedNumber>>();

  constructor(deps: LastNumbersDeps) {
    this.#deps = deps;
    this.#running = repeat(deps.timing.heartbeatMs, this.#ending.signal, () => this.#store());
  }

  note(sessionId: string, identity: string, seq: SequenceNumber): void {
    const participant = `${sessionId} ${identity}`;
    const numbers = this.#waiting.get(participant) ?? new Map<string, NotedNumber>();
    if (numbers.size >= MOST_SEQUENCES && !numbers.has(seq.q)) return;
    this.#waiting.set(participant, numbers);
    numbers.set(seq.q, { sessionId, identity, ...seq, notedAt: this.#deps.clock.now() });
  }

  /** Stores once more what may be stored. The next recorder reads the numbers of participants that are still in the room. */
  async end(signal: AbortSignal): Promise<void> {
    this.#ending.abort();
    await Promise.race([this.#running.then(() => this.#store()), aborted(signal)]);
  }

  async #store(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const { queries, log } = this.#deps;
    const due = this.#due();
    try {
      while (due.length > 0) {
        const numbers = due.splice(0, STORED_AT_ONCE);
        await queries.noteLastNumbers(numbers);
        for (const number of numbers) this.#forget(number);
      }
    } catch (err) {
      log.debug({ err }, 'storing last numbers failed, retrying');
    }
  }

  #due(): NotedNumber[] {
    const { writer, undecidedSince } = this.#deps;
    const { waiting } = writer;
    const noted = Array.from(this.#waiting.values(), (numbers) => [...numbers.values()]).flat();
    return noted.filter(({ sessionId, notedAt }) => {
      const pendingSince = waiting.get(sessionId)?.since ?? Infinity;
      return Math.min(pendingSince, undecidedSince(sessionId)) > notedAt + OVERTAKING_MS;
    });
  }

  #forget(stored: NotedNumber): void {
    const participant = `${stored.sessionId} ${stored.identity}`;
    const numbers = this.#waiting.get(participant);
    if (numbers?.get(stored.q) === stored) numbers.delete(stored.q);
    if (numbers?.size === 0) this.#waiting.delete(participant);
  }
}
