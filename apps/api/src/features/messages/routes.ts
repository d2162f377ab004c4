import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { exportMessages } from './export-messages.ts';
import { importMessages } from './import-messages.ts';
import { listLatestMessages } from './list-latest-messages.ts';
import { listMessages } from './list-messages.ts';
import { say } from './say.ts';
import { searchMessages } from './search-messages.ts';
import { streamMessages } from './stream-messages.ts';
import { WaitingReaders } from './waiting-readers.ts';

export function messageRoutes(app: ZodApp, deps: Deps): void {
  listMessages(app, deps);
  const readers = openWaitingReaders(app, deps);
  listLatestMessages(app, deps, readers);
  streamMessages(app, deps, readers);
  // Registered after the streams' own hook. Otherwise a stream that is not ending yet would read once more.
  app.addHook('preClose', () => readers[Symbol.asyncDispose]());
  say(app, deps);
  exportMessages(app, deps);
  importMessages(app, deps);
  searchMessages(app, deps);
}

function openWaitingReaders(
  app: ZodApp,
  { database, reserved, metrics, timeLimits }: Deps,
): WaitingReaders {
  const { latestMessagesOfReaders, listFormerReaders, listHeads } = db;
  const readers = new WaitingReaders({
    messages: db.bind(db.withoutLimit(database), { latestMessagesOfReaders }),
    limitMs: timeLimits.statementMs,
    looks: db.bind(reserved, { listFormerReaders, listHeads }),
  });
  metrics.gauge('session_waiting_readers', 'Readers that wait for a message.', () => {
    return readers.length;
  });
  app.onNotification('messages_stored', {
    onChange: (_, sessionIds) => readers.stored(sessionIds),
    onListening: () => readers.lookAtAll(),
  });
  app.onNotification('caller_changed', {
    onChange: (_, userId) => void readers.recheckMember(userId),
    onListening: () => {},
  });
  return readers;
}
