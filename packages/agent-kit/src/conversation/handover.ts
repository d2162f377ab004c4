import { type HandoverEvent, isOperator } from '@session/contract/room';
import { type HandoverSettings, handoverEvent } from '@session/conversation';
import type { ConversingRoom } from './conversing-room.ts';

export type SilentStep =
  | { readonly action: 'wait'; readonly delayMs: number }
  | { readonly action: 'resume' };

export interface HandoverOptions {
  readonly settings: HandoverSettings | undefined;
  readonly clock: () => number;
  /** Called when an operator has come, and when the last one has left. */
  readonly operatorsChanged: (isPresent: boolean) => void;
  readonly report: (event: HandoverEvent) => void;
}

interface Request {
  readonly reason: string;
  readonly endsAt: number;
}

/** An operator's coming and leaving end this wait. */
const OPERATOR_WAIT_MS = 3_600_000;

/**
 * When the agent is silent because a person speaks in its place, or is asked to.
 *
 * - While an operator is in the room, whether asked for or not, the agent answers nothing.
 * - Once its model has asked for a person, the agent answers nothing until one comes, at most for the time of its template.
 *
 * Only what was asked for is reported.
 */
export class Handover {
  readonly #options: HandoverOptions;
  #room: ConversingRoom | undefined;
  #request: Request | undefined;
  #isTaken = false;

  constructor(options: HandoverOptions) {
    this.#options = options;
  }

  /** Whether an operator is in the room. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  get isSilent(): boolean {
    return this.#isTaken || this.#request !== undefined;
  }

  use(room: ConversingRoom): void {
    this.#room = room;
    this.look();
  }

  /** Looks who is in the room. */
  look(): void {
    const isTaken = this.#room?.participants.some(isOperator) ?? false;
    if (isTaken === this.#isTaken) return;
    this.#isTaken = isTaken;
    this.#report(isTaken ? 'taken' : 'done');
    if (!isTaken) this.#request = undefined;
    this.#options.operatorsChanged(isTaken);
  }

  request(reason: string): void {
    const { settings, clock } = this.#options;
    if (!settings || this.#request) return;
    this.#request = { reason, endsAt: clock() + settings.waitMs };
    this.#report('requested');
    if (this.#isTaken) this.#report('taken');
  }

  /** Returns what a silent agent does now; undefined for an agent that is not silent. */
  step(): SilentStep | undefined {
    if (this.#isTaken) return { action: 'wait', delayMs: OPERATOR_WAIT_MS };
    if (!this.#request) return undefined;
    const delayMs = this.#request.endsAt - this.#options.clock();
    if (delayMs > 0) return { action: 'wait', delayMs };
    this.#report('expired');
    this.#request = undefined;
    return { action: 'resume' };
  }

  #report(state: HandoverEvent['state']): void {
    if (!this.#request) return;
    const at = new Date().toISOString();
    this.#options.report(handoverEvent(at, state, this.#request.reason));
  }
}
