import type { ConversationSettings } from '@session/conversation';

/** Longer than the pause between two reports that a person speaks, and than a turn waits for the transcript. */
const SPEECH_MS = 5000;

/** What an agent does next when nobody has said anything. `goodbye` is said before it leaves. */
export type QuietStep =
  | { readonly action: 'wait'; readonly delayMs: number }
  | { readonly action: 'retry' | 'nudge' | 'leave' | 'goodbye' };

/** The room and the plan, as far as silence matters there. */
export interface Situation {
  readonly isPersonPresent: boolean;
  readonly hasActiveStep: boolean;
  /** When texts that failed are to be answered once more. */
  readonly retryAt?: number | undefined;
}

/**
 * Decides what an agent does by itself while nobody says anything. On a step of a plan it asks once more, if a person is
 * there. It leaves when for some time nobody was in the room and no text came: clients of REST are never in the room.
 */
export class QuietTimes {
  readonly #limits: ConversationSettings['limits'];
  readonly #clock: () => number;
  readonly #endsAt: number;
  /** When a text came last, or a person was there last. */
  #activeAt: number;
  /** Since when an answer is awaited: the agent spoke, or a person came. */
  #quietSince: number;
  /** When a person was last heard speaking. */
  #speechAt = Number.NEGATIVE_INFINITY;
  #hasNudged = false;

  /** `clock` returns milliseconds that only increase. */
  constructor(limits: ConversationSettings['limits'], clock: () => number) {
    this.#limits = limits;
    this.#clock = clock;
    const now = clock();
    this.#endsAt = now + (limits.maxTalkMs ?? Number.POSITIVE_INFINITY);
    this.#activeAt = now;
    this.#quietSince = now;
  }

  /** Whether the conversation has reached its longest time. */
  get isTimeOver(): boolean {
    return this.#clock() >= this.#endsAt;
  }

  /** A text of a person came. */
  textCame(): void {
    this.#activeAt = this.#clock();
    this.#hasNudged = false;
  }

  /** A person is speaking. Whether that says anything is not known yet: after a noise the agent does not ask twice. */
  personSpeaks(): void {
    this.#activeAt = this.#clock();
    this.#quietSince = this.#activeAt;
    this.#speechAt = this.#activeAt;
  }

  /** A person came or left. */
  presenceChanged(): void {
    this.#activeAt = this.#clock();
    this.#quietSince = this.#activeAt;
  }

  /** The agent has spoken. */
  agentSpoke(): void {
    this.#quietSince = this.#clock();
  }

  /** Returns what the agent does now. A nudge that is returned counts as done. */
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
      retry: Math.max(retryAt, this.#speechAt + SPEECH_MS),
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
