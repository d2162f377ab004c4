import { isDatabaseAway, type SlotQueries } from '@session/db';
import type { Logger } from 'pino';
import type { Ending, SessionRecording } from '../session/session-recording.ts';

/**
 * What became of a recording, and so of its slot: given up, removed, another recorder's by now, another process's of our
 * own name, or free for others.
 */
export type Outcome = 'lost' | 'closed' | 'taken' | 'replaced' | 'released';

interface AssignmentDeps {
  readonly queries: Pick<SlotQueries, 'giveUpSlot' | 'releaseSlot'>;
  readonly log: Logger;
  /** The recording has ended: its slot is to be settled. */
  readonly changed: () => void;
}

/** A slot that this process has, and what is recorded for it, until all of that is stored and the slot is settled. */
export class Assignment {
  readonly recording: SessionRecording;
  readonly #deps: AssignmentDeps;
  #outcome: Outcome | undefined;
  #ended: Promise<void> | undefined;
  #isOver = false;

  constructor(recording: SessionRecording, deps: AssignmentDeps) {
    this.recording = recording;
    this.#deps = deps;
  }

  /** Whether it ends, or has ended. */
  get isEnding(): boolean {
    return this.#outcome !== undefined;
  }

  /** Ends the recording, once; `write` then settles the slot. */
  end(outcome: Outcome, ending: Ending): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#ended = this.recording
      .end(ending)
      .catch((err: unknown) => this.#deps.log.error({ err }, 'a recording did not end well'))
      .finally(() => {
        this.#isOver = true;
        this.#deps.changed();
      });
  }

  /** Resolves when the recording has ended, if it is to. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  /**
   * Brings what is known of the slot to the database. Gives whether the slot is settled, and whether what was heard when is
   * not as it was. Throws when the database is away; what goes wrong there for this one alone is no other's trouble.
   */
  async write(): Promise<{ readonly isSettled: boolean; readonly hasNews: boolean }> {
    try {
      // What a replaced process knows would be written under the name of the one that replaced it.
      const hasNews = this.#outcome !== 'replaced' && (await this.recording.write());
      if (this.#isOver) await this.#settle();
      return { isSettled: this.#isOver, hasNews };
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      const { sessionId } = this.recording.key;
      this.#deps.log.error({ err: error, sessionId }, 'a slot cannot be written');
      return { isSettled: this.#isOver, hasNews: false };
    }
  }

  async #settle(): Promise<void> {
    const { queries } = this.#deps;
    const { key, attempts, failure } = this.recording;
    if (this.#outcome === 'lost') await queries.giveUpSlot(key, attempts, failure ?? '');
    if (this.#outcome === 'released') await queries.releaseSlot(key);
  }
}
