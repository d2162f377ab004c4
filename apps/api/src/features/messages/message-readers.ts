import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { WaitingReaders } from './waiting-readers.ts';

export function openWaitingReaders(
  app: ZodApp,
  { database, reserved, metrics }: Pick<Deps, 'database' | 'metrics' | 'reserved'>,
): WaitingReaders {
  const { latestMessagesOfReaders, listFormerReaders, listHeads } = db;
  const readers = new WaitingReaders({
    messages: db.bind(database, { latestMessagesOfReaders }),
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
