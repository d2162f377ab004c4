import { recordingGap } from '@session/contract/room';
import type { MessageReceiver } from '../message-path.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { RecorderQueries } from '../queries.ts';

interface GapDeps {
  readonly queries: Pick<RecorderQueries, 'listGaps'>;
  readonly writer: MessageReceiver;
  readonly clock: Clock;
}

/**
 * Stores a message for each gap that is over. The message's id is derived from the gap's beginning, so the reports of all
 * recorders are one message.
 */
export class GapReport {
  readonly #deps: GapDeps;
  readonly #due = new Set<string>();
  readonly #reported = new Map<string, Set<string>>();

  constructor(deps: GapDeps) {
    this.#deps = deps;
  }

  add(sessionId: string): void {
    this.#due.add(sessionId);
  }

  async write(): Promise<void> {
    if (this.#due.size === 0) return;
    const due = [...this.#due];
    // A session that is added meanwhile is due again, because its gaps have changed.
    this.#due.clear();
    const gaps = await this.#deps.queries.listGaps(due).catch((error: unknown) => {
      for (const sessionId of due) this.#due.add(sessionId);
      throw error;
    });
    for (const gap of gaps) {
      const message = recordingGap(gap, this.#deps.clock.now());
      const reported = this.#reported.get(gap.sessionId) ?? new Set();
      if (reported.has(message.id)) continue;
      this.#reported.set(gap.sessionId, reported.add(message.id));
      this.#deps.writer.push(message);
    }
  }

  forget(sessionId: string): void {
    this.#reported.delete(sessionId);
  }
}
