import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { exportMessages } from './export-messages.ts';
import { importMessages } from './import-messages.ts';
import { listLatestMessages } from './list-latest-messages.ts';
import { listMessages } from './list-messages.ts';
import { openWaitingReaders } from './message-readers.ts';
import { say } from './say.ts';
import { searchMessages } from './search-messages.ts';
import { streamMessages } from './stream-messages.ts';

export function messageRoutes(app: ZodApp, deps: Deps): void {
  listMessages(app, deps);
  const readers = openWaitingReaders(app, deps);
  listLatestMessages(app, deps, readers);
  streamMessages(app, deps, readers);
  // Registered after the streams' own hook: a stream that is not ending yet would read once more.
  app.addHook('preClose', () => readers[Symbol.asyncDispose]());
  say(app, deps);
  exportMessages(app, deps);
  importMessages(app, deps);
  searchMessages(app, deps);
}
