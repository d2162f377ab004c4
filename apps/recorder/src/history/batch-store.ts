import { isDatabaseAway, isRefusedValue, type MessageQueries } from '@session/db';
import { type Entry, isLoss, type Loss } from './queued-message.ts';

/** PostgreSQL's `query_canceled`: the statement took too long. */
const CANCELED = '57014';
/** So often one message is sent that fails by what nobody knows, while the database takes others. */
const UNKNOWN_TRIES = 3;

export interface BatchStoreDeps {
  readonly queries: Pick<MessageQueries, 'appendMessages'>;
  /** Has the session's history say that there is a gap. Throws when the database is away. */
  readonly recordLoss: (loss: Loss) => Promise<void>;
  /** Is told of a message that the database does not take and never will. */
  readonly reject: (message: Entry, error: unknown) => Promise<void>;
}

/** How many of the first entries are dealt with; all are, if there is no `error`. */
export interface Outcome {
  readonly settled: number;
  readonly error?: unknown;
}

/** Entries that are sent together: messages, or one loss. */
type Part = readonly Entry[];

/** Brings what waits into the database, in its order. */
export class BatchStore {
  readonly #deps: BatchStoreDeps;

  constructor(deps: BatchStoreDeps) {
    this.#deps = deps;
  }

  /**
   * Stores the entries; never rejects. A message that the database does not take is found by halves, rejected, and costs
   * no other its place. With `error` the database is not usable now, and the rest is to be sent again.
   */
  async store(entries: readonly Entry[]): Promise<Outcome> {
    let settled = 0;
    for (const part of partsOf(entries)) {
      const outcome = await this.#storePart(part);
      settled += outcome.settled;
      if ('error' in outcome) return { settled, error: outcome.error };
    }
    return { settled };
  }

  async #storePart(part: Part): Promise<Outcome> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(part);
        return { settled: part.length };
      } catch (error) {
        const verdict = await this.#judge(error, part);
        if (verdict === 'later') return { settled: 0, error };
        if (verdict === 'refused' || part.length > 1) return await this.#isolate(part, error);
        if (tries === UNKNOWN_TRIES) return await this.#isolate(part, error);
      }
    }
  }

  async #send(part: Part): Promise<void> {
    const messages = part.filter((entry) => !isLoss(entry));
    if (messages.length > 0) await this.#deps.queries.appendMessages(messages);
    for (const loss of part.filter(isLoss)) await this.#deps.recordLoss(loss);
  }

  /**
   * `later`: the database cannot do it for now. `refused`: it never takes all of it. `unknown`: the same, as it seems, for
   * the database takes others.
   */
  async #judge(error: unknown, part: Part): Promise<'later' | 'refused' | 'unknown'> {
    if (isRefusedValue(error)) return 'refused';
    if (codeOf(error) === CANCELED && part.length > 1) return 'refused';
    if (isDatabaseAway(error)) return 'later';
    // While a table is missing, say, or may not be written, it does not even take nothing.
    try {
      await this.#deps.queries.appendMessages([]);
      return 'unknown';
    } catch {
      return 'later';
    }
  }

  async #isolate(part: Part, error: unknown): Promise<Outcome> {
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

/** Gives the code of a database's error. Not its words: they may repeat the messages'. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}

function partsOf(entries: readonly Entry[]): Part[] {
  const parts: Part[] = [];
  let run: Entry[] = [];
  for (const entry of entries) {
    if (!isLoss(entry)) run.push(entry);
    else {
      if (run.length > 0) parts.push(run);
      parts.push([entry]);
      run = [];
    }
  }
  return run.length > 0 ? [...parts, run] : parts;
}
