import type { ConversationSettings } from '@session/conversation';

/** Longer than the pause between two reports that a person is speaking, and than a transcript takes after its turn. */
const SPEECH_MS = 5000;
const MAX_SPEECH_MS = 120_000;

export type QuietStep =
  | { readonly action: 'wait'; readonly delayMs: number }
  | { readonly action: 'retry' | 'nudge' | 'leave' | 'goodbye' };

export interface Situation {
  readonly isPersonPresent: boolean;
  readonly hasActiveStep: boolean;
  readonly retryAt?: number | undefined;
}

/**
 * Decides what an agent does while nobody says anything. It retries an answer that failed, asks once more about a step of a
 * plan, leaves after a while without people and without texts (REST clients never join the room), and says goodbye when its
 * time is over.
 */
export class QuietTimes {
  readonly #limits: ConversationSettings['limits'];
  /** How long words may take after the last sound. A short word is only transcribed once its turn has ended. */
  readonly #wordsMs: number;
  readonly #clock: () => number;
  readonly #endsAt: number;
  #activeAt: number;
  #quietSince: number;
  #textAt = Number.NEGATIVE_INFINITY;
  #speechAt = Number.NEGATIVE_INFINITY;
  #speechSince = Number.NEGATIVE_INFINITY;
  #hasNudged = false;

  constructor(
    { limits, turns }: Pick<ConversationSettings, 'limits' | 'turns'>,
    clock: () => number,
  ) {
    this.#limits = limits;
    this.#wordsMs = turns.maxMs + SPEECH_MS;
    this.#clock = clock;
    const now = clock();
    this.#endsAt = now + (limits.maxTalkMs ?? Number.POSITIVE_INFINITY);
    this.#activeAt = now;
    this.#quietSince = now;
  }

  get isTimeOver(): boolean {
    return this.#clock() >= this.#endsAt;
  }

  /** How long to wait for the words of a person who has begun to speak since the last text; 0 if nobody has. */
  get wordsDelayMs(): number {
    if (this.#speechAt <= this.#textAt) return 0;
    const endsAt = Math.min(this.#speechAt + this.#wordsMs, this.#speechSince + MAX_SPEECH_MS);
    return Math.max(0, endsAt - this.#clock());
  }

  textCame(): void {
    this.#activeAt = this.#clock();
    this.#textAt = this.#activeAt;
    this.#hasNudged = false;
  }

  /** Notes that a person may be speaking, even without words. After a noise, the agent waits longer before it asks again. */
  personSpeaks(): void {
    const now = this.#clock();
    if (this.#speechAt <= Math.max(this.#textAt, now - this.#wordsMs)) this.#speechSince = now;
    this.#activeAt = now;
    this.#quietSince = now;
    this.#speechAt = now;
  }

  presenceChanged(): void {
    this.#activeAt = this.#clock();
    this.#quietSince = this.#activeAt;
  }

  agentSpoke(): void {
    this.#quietSince = this.#clock();
  }

  next({
    isPersonPresent,
    hasActiveStep,
    retryAt = Number.POSITIVE_INFINITY,
  }: Situation): QuietStep {
    const { nudgeAfterMs, leaveAfterMs } = this.#limits;
    const now = this.#clock();
    if (isPersonPresent) this.#activeAt = now;
    const mayNudge = isPersonPresent && hasActiveStep && !this.#hasNudged;
    const times = {
      goodbye: this.#endsAt,
      leave: this.#activeAt + leaveAfterMs,
      retry: Math.max(retryAt, now + this.wordsDelayMs),
      nudge: mayNudge ? this.#quietSince + nudgeAfterMs : Number.POSITIVE_INFINITY,
    };
    if (now >= times.goodbye) return { action: 'goodbye' };
    if (now >= times.leave) return { action: 'leave' };
    if (now >= times.retry) return { action: 'retry' };
    if (now >= times.nudge) {
      this.#hasNudged = true;
      return { action: 'nudge' };
    }
    return { action: 'wait', delayMs: Math.min(...Object.values(times)) - now };
  }
}
