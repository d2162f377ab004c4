import { isDatabaseAway, isRefusedValue } from '@session/db';
import type {
  BatchReceiver,
  LostMessages,
  QueuedMessage,
  RowWriter,
  StoreResult,
} from '../message-path.ts';
import { isLost } from './queued-message.ts';

/** How many messages one statement stores. */
export const BATCH_MESSAGES = 500;

/** PostgreSQL's `query_canceled`: the statement took too long. */
const CANCELED = '57014';
/** How often a single message is tried that fails for an unknown reason while the database takes others. */
const UNKNOWN_TRIES = 3;

export interface BatchStoreDeps {
  readonly queries: RowWriter;
  /** Takes the time of lost messages out of the intervals, which leaves a gap. Throws when the database is away. */
  readonly reportLoss: (lost: LostMessages) => Promise<void>;
  /** Reports a message that the database does not take, and never will. */
  readonly reject: (queued: QueuedMessage, error: unknown) => Promise<void>;
}

/** What is sent together: messages, or one mark of lost messages. */
type Part = readonly QueuedMessage[];

/** Flushes batches: stores their messages as rows, in order. */
export class BatchStore implements BatchReceiver {
  readonly #deps: BatchStoreDeps;

  constructor(deps: BatchStoreDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a batch; never rejects. A message that the database does not take is found by halving the batch, is rejected,
   * and does not hold up the others. With `error` the database is not usable now, and the caller sends the rest again.
   */
  async store(batch: readonly QueuedMessage[]): Promise<StoreResult> {
    let settled = 0;
    for (const part of partsOf(batch)) {
      const result = await this.#storePart(part);
      settled += result.settled;
      if ('error' in result) return { settled, error: result.error };
    }
    return { settled };
  }

  async #storePart(part: Part): Promise<StoreResult> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(part);
        return { settled: part.length };
      } catch (error) {
        const verdict = await this.#judge(error, part);
        if (verdict === 'later') return { settled: 0, error };
        // Only a single message is retried; a larger part is halved.
        if (verdict === 'refused' || part.length > 1) return await this.#isolate(part, error);
        if (tries === UNKNOWN_TRIES) return await this.#isolate(part, error);
      }
    }
  }

  async #send(part: Part): Promise<void> {
    const messages = part.filter((queued) => !isLost(queued));
    if (messages.length > 0) await this.#deps.queries.appendMessages(messages);
    for (const lost of part.filter(isLost)) await this.#deps.reportLoss(lost);
  }

  /**
   * Says what an error means. `later`: the database takes nothing for now. `refused`: it never takes all of the part.
   * `unknown`: probably refused too, because the database takes an empty batch.
   */
  async #judge(error: unknown, part: Part): Promise<'later' | 'refused' | 'unknown'> {
    if (isRefusedValue(error)) return 'refused';
    if (codeOf(error) === CANCELED && part.length > 1) return 'refused';
    if (isDatabaseAway(error)) return 'later';
    // While, for example, a table is missing or may not be written, the database does not even take an empty batch.
    try {
      await this.#deps.queries.appendMessages([]);
      return 'unknown';
    } catch {
      return 'later';
    }
  }

  async #isolate(part: Part, error: unknown): Promise<StoreResult> {
    const [first] = part;
    if (first && part.length === 1) {
      await this.#deps.reject(first, error);
      return { settled: 1 };
    }
    const middle = Math.ceil(part.length / 2);
    const left = await this.#storePart(part.slice(0, middle));
    if ('error' in left) return left;
    const right = await this.#storePart(part.slice(middle));
    return { ...right, settled: left.settled + right.settled };
  }
}

/** Returns the code of a database error; its words may repeat the messages' content. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}

function partsOf(batch: readonly QueuedMessage[]): Part[] {
  const parts: Part[] = [];
  let messages: QueuedMessage[] = [];
  for (const queued of batch) {
    if (!isLost(queued)) messages.push(queued);
    else {
      if (messages.length > 0) parts.push(messages);
      parts.push([queued]);
      messages = [];
    }
  }
  return messages.length > 0 ? [...parts, messages] : parts;
}
