import { pause } from '@session/kit';
import { nothing } from '../statement/rows.ts';
import { type DatabaseAccess, statement } from '../statement/statement.ts';

/** The most session ids in one payload, which must have less than 8,000 bytes. */
const IDS_AT_ONCE = 200;
const MOST_IDS = 10 * IDS_AT_ONCE;
const EVERY_MS = 20;

/**
 * A commit with a notification holds a server-wide lock until the commit is durable. So the commit of this statement
 * does not wait for the disk.
 */
export const NOTIFY_MESSAGES_STORED = statement(
  'notify_messages_stored',
  (payloads: readonly string[]) => [payloads],
  nothing,
)`
select
  set_config('synchronous_commit', 'off', true),
  pg_notify('messages_stored', payload)
from unnest($1::text[]) payload`;

/** After a commit, wakes the readers that wait for messages: one notification at a time, at most one every 20 ms. */
export class StoredNotifier implements AsyncDisposable {
  readonly #database: DatabaseAccess;
  readonly #everyMs: number;
  readonly #stop = new AbortController();
  #sessionIds = new Set<string>();
  #sending: Promise<void> | undefined;

  /**
   * `database` must not be the connection on which messages are stored, or the next batch would wait for the notification.
   */
  constructor(database: DatabaseAccess, everyMs = EVERY_MS) {
    this.#database = database;
    this.#everyMs = everyMs;
  }

  notify(sessionIds: Iterable<string>): void {
    if (this.#stop.signal.aborted) return;
    // Beyond `MOST_IDS` no ids are kept: the notification then names no session, and all readers look.
    for (const id of sessionIds) if (this.#sessionIds.size <= MOST_IDS) this.#sessionIds.add(id);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async #send(): Promise<void> {
    while (this.#sessionIds.size > 0 && !this.#stop.signal.aborted) {
      const sessionIds = this.#sessionIds;
      this.#sessionIds = new Set();
      const ids = sessionIds.size > MOST_IDS ? [] : [...sessionIds];
      const payloads = [ids.slice(0, IDS_AT_ONCE).join()];
      for (let from = IDS_AT_ONCE; from < ids.length; from += IDS_AT_ONCE) {
        payloads.push(ids.slice(from, from + IDS_AT_ONCE).join());
      }
      // Readers poll, so a notification that fails is not sent again.
      await NOTIFY_MESSAGES_STORED(this.#database, payloads).catch(() => {});
      await pause(this.#everyMs, this.#stop.signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }
}
