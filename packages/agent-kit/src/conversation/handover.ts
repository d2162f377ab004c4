import type { OpenHandover } from '@session/contract';
import {
  type HandoverEvent,
  type HandoverRefusedPacket,
  handoverRefusalIn,
  isOperator,
  type RoomEvent,
} from '@session/contract/room';
import { type HandoverSettings, handoverEvent } from '@session/conversation';
import type { QuietStep } from './quiet-times.ts';

export type SilentStep =
  | { readonly action: 'wait'; readonly delayMs: number }
  /** `refusal`: why the service starts no other agent. */
  | { readonly action: 'resume'; readonly refusal?: string };

interface SeenRoom {
  readonly participants: readonly { readonly identity: string }[];
  readonly connection: number | undefined;
}

interface Absence {
  readonly since: number;
  readonly connection: number | undefined;
}

export interface HandoverOptions {
  readonly settings: HandoverSettings | undefined;
  readonly open: OpenHandover | undefined;
  readonly clock: () => number;
  readonly operatorsChanged: (isPresent: boolean) => void;
  readonly operatorIsBack: () => void;
  readonly report: (event: HandoverEvent) => void;
}

interface Request {
  readonly event: HandoverEvent;
  readonly endsAt: number;
  reportedAt: number;
  refusal?: HandoverRefusedPacket;
}

const OPERATOR_WAIT_MS = 3_600_000;

/** An operator who reloads a page is back within this time. An agent that has rejoined its room sees everyone within it. */
const ABSENCE_MS = 5000;

const REPEAT_MS = 5000;

const AGENT_WAIT_MS = 60_000;

/**
 * Makes the agent silent while a person speaks in its place, and while a person or another agent is asked to take over.
 *
 * - While an operator is in the room, whether asked for or not, the agent answers nothing.
 * - Once its model has asked for a person, the agent answers nothing until a person comes, at most for the time in its
 *   template.
 * - Once its model has handed over to another agent, it answers nothing until the service stops it or refuses, at most for
 *   `AGENT_WAIT_MS`.
 *
 * Only requested handovers are reported. An operator who is absent for less than `ABSENCE_MS` counts as present, even while
 * the agent's program restarts. When the agent itself rejoins its room, an absence begins again. A restarted program no
 * longer waits for a person who was asked for.
 */
export class Handover {
  readonly #options: HandoverOptions;
  #open: OpenHandover | undefined;
  #room: SeenRoom | undefined;
  #request: Request | undefined;
  #isTaken = false;
  #absence: Absence | undefined;

  constructor(options: HandoverOptions) {
    this.#options = options;
    this.#open = options.open;
  }

  get hasOperator(): boolean {
    return this.#isTaken && !this.#absence;
  }

  get isSilent(): boolean {
    return this.#isTaken || this.#request !== undefined;
  }

  use(room: SeenRoom): void {
    this.#room = room;
    if (this.#absence) this.#absence = { ...this.#absence, connection: undefined };
    if (this.#open) this.#takeUp(this.#open);
    this.#open = undefined;
    this.look();
  }

  look(): void {
    const { operatorIsBack, operatorsChanged } = this.#options;
    if (!this.#room?.participants.some(isOperator)) {
      if (this.#isTaken) this.#noteAbsence(this.#room?.connection);
      return;
    }
    const isBack = this.#absence !== undefined;
    this.#absence = undefined;
    if (isBack) operatorIsBack();
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.#report('taken');
    operatorsChanged(true);
  }

  request(asked: Pick<HandoverEvent, 'reason' | 'to'>): void {
    const waitMs = asked.to ? AGENT_WAIT_MS : this.#options.settings?.persons?.waitMs;
    if (waitMs === undefined || this.isSilent) return;
    this.#options.report(this.#ask(asked, waitMs));
  }

  /** Returns true when the service has refused the request, so the agent no longer waits. */
  receive(event: RoomEvent): boolean {
    this.look();
    const refusal = handoverRefusalIn(event);
    if (!refusal || this.#request?.event.id !== refusal.handover) return false;
    this.#request.refusal = refusal;
    return true;
  }

  /** Ends a request for a person. Another agent may still come, and reports that itself. */
  leave(): void {
    if (!this.#request?.event.to) this.#expire();
  }

  #noteAbsence(connection: number | undefined): void {
    const isNoted = connection !== undefined && connection === this.#absence?.connection;
    if (!isNoted) this.#absence = { since: this.#options.clock(), connection };
  }

  #ask(asked: Pick<HandoverEvent, 'reason' | 'to'>, waitMs: number): HandoverEvent {
    const now = this.#options.clock();
    const event = handoverEvent(new Date().toISOString(), 'requested', asked);
    this.#request = { event, endsAt: now + waitMs, reportedAt: now };
    return event;
  }

  #takeUp({ reason, state }: OpenHandover): void {
    this.#ask({ reason }, 0);
    if (state === 'requested') return;
    this.#isTaken = true;
    this.#options.operatorsChanged(true);
  }

  #expire(): void {
    if (!this.#isTaken) this.#end('expired');
  }

  #end(state: 'done' | 'expired'): void {
    this.#report(state);
    this.#request = undefined;
  }

  /**
   * Returns what a silent agent does now; undefined if the agent is not silent. Until a person or another agent takes over, the
   * limits of `quiet` still apply.
   */
  step(quiet: () => QuietStep): SilentStep | QuietStep | undefined {
    this.look();
    if (this.#isTaken) return this.#operatorStep();
    if (!this.#request) return undefined;
    const limit = quiet();
    if (limit.action !== 'wait') return limit;
    const now = this.#options.clock();
    const { endsAt, event, refusal, reportedAt } = this.#request;
    if (refusal || now >= endsAt) {
      this.#expire();
      return { action: 'resume', ...(refusal && { refusal: refusal.detail }) };
    }
    // No later message shows by its number that the request was lost, so it is repeated. The history stores it once, by
    // its id.
    if (now >= reportedAt + REPEAT_MS) {
      this.#request.reportedAt = now;
      this.#options.report(event);
    }
    const repeatAt = this.#request.reportedAt + REPEAT_MS;
    return { action: 'wait', delayMs: Math.min(endsAt - now, repeatAt - now, limit.delayMs) };
  }

  #operatorStep(): SilentStep | undefined {
    if (!this.#absence) return { action: 'wait', delayMs: OPERATOR_WAIT_MS };
    const delayMs = this.#absence.since + ABSENCE_MS - this.#options.clock();
    if (delayMs > 0) return { action: 'wait', delayMs };
    this.#isTaken = false;
    this.#absence = undefined;
    this.#end('done');
    this.#options.operatorsChanged(false);
    return undefined;
  }

  #report(state: HandoverEvent['state']): void {
    if (!this.#request) return;
    const { event, refusal } = this.#request;
    const { reason, to } = event;
    // The other states concern a person.
    const asked = state === 'expired' && to ? { reason, to, refusedAs: refusal?.code } : { reason };
    this.#options.report(handoverEvent(new Date().toISOString(), state, asked));
  }
}
