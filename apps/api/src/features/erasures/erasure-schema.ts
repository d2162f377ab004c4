import { type Erasure, Id } from '@session/contract';
import type { ErasureRow } from '@session/db';
import * as z from 'zod';

export const erasureParams = z.object({ id: Id });

export const projectOfErasures = z.object({ projectId: Id });

const DAY_MS = 86_400_000;

export function erasureOf(row: ErasureRow, backupDays: number | undefined): Erasure {
  const { sessionId, messageIds, identity, userId, recorders, webhooks, ...erasure } = row;
  return {
    ...erasure,
    scope: {
      ...(sessionId !== null && { sessionId }),
      ...(messageIds && { messageIds: [...messageIds] }),
      ...(identity !== null && { identity }),
      ...(userId !== null && { userId }),
    },
    recorders: [...recorders],
    webhooks: [...webhooks],
    backupsUntil:
      backupDays === undefined || row.finishedAt === null
        ? null
        : new Date(Date.parse(row.finishedAt) + backupDays * DAY_MS).toISOString(),
  };
}
