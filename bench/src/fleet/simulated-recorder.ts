import type { RecorderQueries, RecordingIntervalQueries, SlotQueries } from '@session/db';
import { pause } from '@session/kit';
import type { Times } from './fleet-job.ts';

interface SimulatedRecorderDeps {
  readonly id: string;
  readonly otherRecorders: number;
  readonly slots: Pick<SlotQueries, 'claimSlots' | 'listSlots' | 'provideSlots'>;
  readonly intervals: Pick<RecordingIntervalQueries, 'endDeadIntervals'>;
  readonly recorders: Pick<RecorderQueries, 'updateHeartbeat'>;
  readonly times: { readonly [Name in keyof Times]: number[] };
  readonly claimed: (sessionId: string) => void;
}

export const HEARTBEAT_MS = 500;
const ROUND_MS = 2000;
/** As recorders do, so that they do not claim at the same moment. */
const EACH_WAKE_MS = 5;
const MOST_WAKE_MS = 500;
const CLAIM = { limit: 16, capacity: 1000 };

/** Sends the statements that a recorder sends while nobody talks, at the same intervals. */
export class SimulatedRecorder {
  readonly #deps: SimulatedRecorderDeps;
  #woken = Promise.withResolvers<void>();

  constructor(deps: SimulatedRecorderDeps) {
    this.#deps = deps;
  }

  /** Begins a round soon, after a notification that all recorders got. */
  notified(): void {
    this.#woken.resolve();
  }

  async run(stop: AbortSignal): Promise<void> {
    await Promise.all([this.#beat(stop), this.#look(stop)]);
  }

  async #beat(stop: AbortSignal): Promise<void> {
    const { id, recorders, times } = this.#deps;
    await pause(Math.random() * HEARTBEAT_MS, stop);
    while (!stop.aborted) {
      const began = performance.now();
      await recorders.updateHeartbeat({
        id,
        epoch: 1,
        load: 0,
        isDraining: false,
        flushedAt: new Date().toISOString(),
        standbyAt: null,
        webhookAt: null,
        clockOffsetMs: 0,
      });
      times.heartbeatsMs.push(performance.now() - began);
      await pause(HEARTBEAT_MS, stop);
    }
  }

  async #look(stop: AbortSignal): Promise<void> {
    const { otherRecorders, times } = this.#deps;
    await pause(Math.random() * ROUND_MS, stop);
    while (!stop.aborted) {
      this.#woken = Promise.withResolvers();
      const began = performance.now();
      await this.#round();
      times.roundsMs.push(performance.now() - began);
      const isWoken = await Promise.race([
        this.#woken.promise.then(() => true),
        pause(ROUND_MS, stop).then(() => false),
      ]);
      const mostMs = Math.min(EACH_WAKE_MS * otherRecorders, MOST_WAKE_MS);
      if (isWoken) await pause(Math.random() * mostMs, stop);
    }
  }

  async #round(): Promise<void> {
    const { id, slots, intervals, claimed } = this.#deps;
    await intervals.endDeadIntervals();
    await slots.provideSlots(1, id);
    for (;;) {
      const taken = await slots.claimSlots({ recorderId: id, ...CLAIM });
      for (const { sessionId } of taken) claimed(sessionId);
      if (taken.length === 0) break;
    }
    await slots.listSlots(id, 1);
  }
}
