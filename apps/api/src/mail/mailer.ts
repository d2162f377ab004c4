import { pause, RotatingQueue, withDeadline } from '@session/kit';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Metrics } from '../http/metrics/metrics.ts';

const WAITING_MAILS = 1000;
const MAILS_AT_ONCE = 4;
const RESULTS = ['sent', 'failed', 'dropped'] as const;

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export type ComposeMail = () => Promise<Mail | undefined>;

interface MailerTiming {
  readonly retryMs: readonly number[];
  /** How long a server may take to accept a connection, to greet, and for each of its answers. */
  readonly answerMs: number;
  readonly drainMs: number;
}

const TIMING: MailerTiming = { retryMs: [1000, 10_000, 60_000], answerMs: 10_000, drainMs: 3000 };

export interface MailerOptions {
  readonly mail: Config['mail'];
  readonly metrics: Pick<Metrics, 'counter'>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  readonly timing?: MailerTiming;
}

/**
 * Sends mails by SMTP, after the answer to the request that asks for them. Mails wait in memory, their owners take turns,
 * and mails are retried unless the server refuses them permanently. A failure is logged without the address and the text.
 * Disposal tries the rest once more.
 */
export class Mailer implements AsyncDisposable {
  readonly #options: MailerOptions;
  readonly #timing: MailerTiming;
  #transport: ReturnType<typeof openTransport> | undefined;
  readonly #results;
  readonly #turns = new RotatingQueue(MAILS_AT_ONCE);
  readonly #deliveries = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #cut = new AbortController();

  constructor(options: MailerOptions) {
    const { metrics, timing = TIMING } = options;
    this.#options = options;
    this.#timing = timing;
    const help = 'Mails, by what became of them: `dropped` ones found too many others waiting.';
    this.#results = metrics.counter('session_mails_total', help, ['result']);
    for (const result of RESULTS) this.#results.inc({ result }, 0);
  }

  get isOn(): boolean {
    return this.#options.mail !== undefined;
  }

  send(owner: string, compose: ComposeMail): boolean {
    if (!this.isOn) return false;
    if (this.#deliveries.size >= WAITING_MAILS || this.#stop.signal.aborted) {
      this.#results.inc({ result: 'dropped' });
      return false;
    }
    const delivery = this.#deliver(owner, compose).finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
    return true;
  }

  async #deliver(owner: string, compose: ComposeMail): Promise<void> {
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    // The answer to the request comes first, so that its duration does not reveal whether a mail is sent.
    setImmediate(resolve);
    await answered;
    let mail: Mail | undefined;
    const attempt = async () => {
      mail ??= await compose();
      if (mail) await this.#transmit(mail);
    };
    for (const delayMs of [...this.#timing.retryMs, undefined]) {
      const isLast = delayMs === undefined || this.#stop.signal.aborted;
      try {
        await this.#turns.run(owner, attempt);
        if (mail) this.#results.inc({ result: 'sent' });
        return;
      } catch (error) {
        if (isLast || isFinal(error)) {
          this.#results.inc({ result: 'failed' });
          this.#options.log.warn(faultOf(error), 'gave up sending mail');
          return;
        }
        await pause(delayMs, this.#stop.signal);
      }
    }
  }

  async #transmit({ to, subject, text }: Mail): Promise<void> {
    // An object, because a text would be read as a list of addresses.
    const address = { name: '', address: to };
    const { signal } = this.#cut;
    const { mail } = this.#options;
    if (!mail) return;
    this.#transport ??= openTransport(mail, this.#timing);
    const transport = await this.#transport;
    await transport.sendMail({ to: address, subject, text, signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const { log } = this.#options;
    await withDeadline(Promise.all(this.#deliveries), this.#timing.drainMs).catch(() => {
      log.warn({ mails: this.#deliveries.size }, 'mails not sent at shutdown');
    });
    this.#cut.abort();
    await Promise.all(this.#deliveries);
  }
}

async function openTransport(
  { smtpUrl, from }: NonNullable<Config['mail']>,
  { answerMs }: MailerTiming,
) {
  // Loaded only where mails are sent.
  const { createTransport } = await import('nodemailer');
  return createTransport(
    {
      url: smtpUrl,
      // Parameters of the URL override these.
      connectionTimeout: answerMs,
      greetingTimeout: answerMs,
      socketTimeout: answerMs,
      // A password is sent only over TLS.
      requireTLS: new URL(smtpUrl).password !== '',
    },
    { from, disableFileAccess: true, disableUrlAccess: true },
  );
}

function isFinal(error: unknown): boolean {
  const { status = 0 } = faultOf(error);
  return status >= 500;
}

/** Returns the code and the status of an error, for the log. The message of the error may contain the address. */
function faultOf(error: unknown): { code?: string; status?: number } {
  if (!(error instanceof Error)) return {};
  return {
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...('responseCode' in error &&
      typeof error.responseCode === 'number' && { status: error.responseCode }),
  };
}
