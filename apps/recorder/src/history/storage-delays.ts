import { Histogram } from 'prom-client';

interface ReceiptClock {
  now(): number;
}

export class StorageDelays {
  readonly #clock: ReceiptClock;
  readonly metric = new Histogram({
    name: 'session_recorder_message_storage_delay_seconds',
    help: 'Time from the receipt of a message until it was stored.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600],
    registers: [],
  });

  constructor(clock: ReceiptClock) {
    this.#clock = clock;
  }

  stored(
    messages: readonly { readonly sessionId: string; readonly receivedAt: number }[],
    locked: ReadonlySet<string>,
  ): void {
    const now = this.#clock.now();
    for (const { sessionId, receivedAt } of messages) {
      // The clock is corrected when it differs from the database's, so it may go back.
      if (!locked.has(sessionId)) this.metric.observe(Math.max(0, now - receivedAt) / 1000);
    }
  }
}
