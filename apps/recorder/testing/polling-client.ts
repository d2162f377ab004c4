import { latestMessages } from '@session/db';
import { pause } from '@session/kit';
import type { TestStage } from './stage.ts';

/** A client that polls for new messages. */
export interface PollingClient extends AsyncDisposable {
  /** The ids in the order in which they were read. */
  readonly ids: readonly string[];
  /** The newest `nextSince`. Like the SDK, the client never goes back. */
  readonly since: string;
}

/** Reads a session's history from its beginning on, as a member of its project. Retries while the database is away. */
export async function pollHistory(stage: TestStage, sessionId: string): Promise<PollingClient> {
  const [user] = await stage.database.sql<{ id: string }[]>`select id from users`;
  const userId = user?.id ?? '';
  const ids: string[] = [];
  let since = '2000-01-01T00:00:00.000Z';
  const ending = new AbortController();
  const reading = (async () => {
    while (await pause(20, ending.signal)) {
      const latest = await latestMessages(stage.database, {
        sessionId,
        userId,
        since,
        limit: 500,
      }).catch(() => {});
      if (!latest) continue;
      ids.push(...latest.messages.map(({ id }) => id));
      if (latest.nextSince > since) since = latest.nextSince;
    }
  })();
  return {
    ids,
    get since() {
      return since;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await reading;
    },
  };
}
