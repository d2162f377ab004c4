import type { DatabaseAccess } from '@session/db';
import { SearchWork } from '../src/background/search/search-work.ts';
import { ShutdownBudget } from '../src/background/shutdown-budget.ts';
import { spyLog } from './spy-log.ts';

/** Starts to fill the search index, as an API process does. */
export function startSearchWork(database: DatabaseAccess) {
  const log = spyLog();
  const shutdown = new ShutdownBudget(4000);
  const timing = { everyMs: 20, gapMs: 1, leaseMs: 60_000 };
  const running = new SearchWork({ database, log, shutdown, timing });
  return { log, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}
