import { channel } from 'node:diagnostics_channel';

const ENDED = channel('session-service:statement-ended');

export class StatementRun {
  readonly name: string;
  /** From the call to the result, so the wait for a connection of the pool is included. */
  readonly durationSeconds: number;
  readonly hasFailed: boolean;

  constructor(name: string, durationSeconds: number, hasFailed: boolean) {
    this.name = name;
    this.durationSeconds = durationSeconds;
    this.hasFailed = hasFailed;
  }
}

/**
 * Returns the result of `query`, and publishes how long it took. The driver sends the query only when it is awaited. Without
 * observers, nothing is measured.
 */
export async function measured<Result>(name: string, query: Promise<Result>): Promise<Result> {
  if (!ENDED.hasSubscribers) return await query;
  const began = performance.now();
  let hasFailed = true;
  try {
    const result = await query;
    hasFailed = false;
    return result;
  } finally {
    ENDED.publish(new StatementRun(name, (performance.now() - began) / 1000, hasFailed));
  }
}

/** Calls `observe` after each run of a statement in this process, until the returned observation is disposed of. */
export function observeStatements(observe: (run: StatementRun) => void): Disposable {
  const listener = (message: unknown) => {
    if (message instanceof StatementRun) observe(message);
  };
  ENDED.subscribe(listener);
  return {
    [Symbol.dispose]() {
      ENDED.unsubscribe(listener);
    },
  };
}
