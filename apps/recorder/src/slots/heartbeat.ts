import type { HeartbeatAnswer, HeartbeatReport } from '@session/db';
import { pause, withDeadline } from '@session/kit';
import pLimit from 'p-limit';
import type { RecorderClock } from '../process/recorder-clock.ts';
import type { RecorderQueries } from '../queries.ts';
import type { Timing } from '../timing.ts';

const LAST_HEARTBEAT_MS = 1000;

export type RecorderState = Omit<HeartbeatReport, 'clockOffsetMs' | 'epoch' | 'id'>;

interface HeartbeatDeps {
  readonly recorderId: string;
  readonly recorderEpoch: number;
  readonly queries: Pick<RecorderQueries, 'updateHeartbeat' | 'wakeRecorders'>;
  readonly timing: Timing;
  readonly clock: RecorderClock;
  readonly state: () => Promise<RecorderState>;
  readonly answered: (answer: HeartbeatAnswer) => void;
  readonly replaced: () => void;
}

/** Runs apart from the rounds of the slot keeper, so that a slow round does not make a living recorder look dead. */
export class Heartbeat {
  readonly #deps: HeartbeatDeps;
  readonly #ending = new AbortController();
  readonly #inTurn = pLimit(1);
  readonly #running: Promise<void>;
  #isReplaced = false;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
    this.#running = this.#run();
  }

  async beat(): Promise<void> {
    await this.#inTurn(() => this.#beat());
  }

  async #beat(): Promise<void> {
    if (this.#isReplaced) return;
    const { recorderId: id, recorderEpoch: epoch, queries, clock, state } = this.#deps;
    const { offsetMs: clockOffsetMs } = clock;
    const report = { id, epoch, clockOffsetMs, ...(await state()) };
    const sent = clock.send();
    const answer = await queries.updateHeartbeat(report);
    clock.measured(sent, answer.databaseNow);
    const { answered, replaced } = this.#deps;
    answered(answer);
    if (!answer.isReplaced || this.#isReplaced) return;
    this.#isReplaced = true;
    replaced();
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await withDeadline(this.#last(), LAST_HEARTBEAT_MS).catch(() => {});
  }

  async #last(): Promise<void> {
    await this.#running;
    await this.beat();
    // Recorders that waited for this one to store its messages need not wait any more.
    await this.#deps.queries.wakeRecorders();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    // The rounds report a database that is away.
    do await this.beat().catch(() => {});
    while (!this.#isReplaced && (await pause(this.#deps.timing.heartbeatMs, signal)));
  }
}
