import type { RecorderLog } from './log.ts';

const PATIENCE_MS = 60_000;

const ADVICE =
  'participants joined, but no recorder received a webhook of the media server: name ' +
  'http://<a recorder>:<its port>/webhooks/media among the urls of `webhook` in the configuration of LiveKit, with the ' +
  "recorders' MEDIA_API_KEY as its api_key. Without webhooks, the first packets of participants who use LiveKit's own " +
  'clients may have no sender, and their first chat messages are lost';

export class WebhookWatch {
  readonly #log: RecorderLog;
  #joins = 0;
  #joinedAt: number | undefined;
  #isOver = false;

  constructor(log: RecorderLog) {
    this.#log = log;
  }

  get joins(): number {
    return this.#joins;
  }

  sawJoin(): void {
    this.#joins += 1;
    this.#joinedAt ??= performance.now();
  }

  seen(webhooksSeen: boolean): void {
    if (this.#isOver) return;
    const isLate =
      this.#joinedAt !== undefined && performance.now() - this.#joinedAt >= PATIENCE_MS;
    if (isLate && !webhooksSeen) this.#log.warn(ADVICE);
    this.#isOver = isLate || webhooksSeen;
  }
}
