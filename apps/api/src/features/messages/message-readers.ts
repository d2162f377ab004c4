import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { WaitingReaders } from './waiting-readers.ts';

export function openWaitingReaders(
  app: ZodApp,
  { database, metrics }: Pick<Deps, 'database' | 'metrics'>,
): WaitingReaders {
  const { listHeads, latestMessagesOfReaders } = db;
  const readers = new WaitingReaders({
    messages: db.bind(database, { listHeads, latestMessagesOfReaders }),
  });
  metrics.gauge('session_waiting_readers', 'Readers that wait for a message.', () => {
    return readers.length;
  });
  app.onNotification('messages_stored', {
    onChange: (_, sessionIds) => readers.stored(sessionIds),
    onListening: () => readers.lookAtAll(),
  });
  app.onNotification('caller_changed', {
    onChange: (_, userId) => readers.recheckMember(userId),
    onListening: () => {},
  });
  return readers;
}
