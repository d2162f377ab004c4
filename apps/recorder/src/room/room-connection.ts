import { aborted, pause, redactTokens, withDeadline } from '@session/kit';
import type { Logger } from 'pino';
import type { Timing } from '../timing.ts';
import { type ConnectionState, canFollow } from './connection-state.ts';
import { Overlap } from './repeated-packets.ts';
import type { Heard, RoomLink } from './room-link.ts';

const JITTER = 0.2;

/** Reasons that say nothing about the connection: a room was taken from us, and may be ours again. */
const TAKEN_AWAY = new Set(['PARTICIPANT_REMOVED', 'ROOM_CLOSED', 'ROOM_DELETED']);

export interface ConnectionDeps {
  /** Joins the session's room under a name of that suffix; throws when that fails. */
  connect(suffix: string): Promise<RoomLink>;
  /** Has the server send a packet to that participant alone; throws when that fails. */
  readonly sendTo: (identity: string, packet: object) => Promise<void>;
  /** Runs `work` when it is our turn: few connect at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Looks whether the session is still to be recorded, and closes this connection if it is not. May throw. */
  verify(): Promise<void>;
  readonly log: Logger;
  readonly timing: Timing;
}

/** What a session's recording learns from its connection. None of these may throw. */
export interface ConnectionListener {
  /** The state, or the count of attempts, has changed. */
  changed(): void;
  /** A room is recorded from: a fresh one, or the same after a reconnect of the SDK. Its events follow. */
  connected(link: RoomLink, isFresh: boolean): void;
  /** The room is not heard any more. */
  interrupted(link: RoomLink): void;
  event(heard: Heard): void;
}

/** The one connection of a session: one room that is recorded from, and what it takes to have one. */
export class RoomConnection {
  readonly #deps: ConnectionDeps;
  readonly #listener: ConnectionListener;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #state: ConnectionState = 'waiting';
  #attempts = 0;
  #isRetired = false;
  #names = 0;
  #failure: string | null = null;
  #link: RoomLink | undefined;
  readonly #overlap = new Overlap();
  #left: Promise<unknown> = Promise.resolve();

  constructor(deps: ConnectionDeps, listener: ConnectionListener) {
    this.#deps = deps;
    this.#listener = listener;
    // Not at once: what happens is told to a listener that must have been made.
    this.#running = Promise.resolve().then(() => this.#run());
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** How many of the five attempts are used up. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Why the last attempt failed, or the connection broke. */
  get failure(): string | null {
    return this.#failure;
  }

  /** The room that is recorded from, also while it is down. */
  get link(): RoomLink | undefined {
    return this.#link;
  }

  /** From now on an interruption is the end: to come back would bring a room back that nobody wants. `close` follows. */
  retire(): void {
    this.#isRetired = true;
  }

  /**
   * Leaves the room for good, and resolves when all has been reported that was heard there, and when no attempt is under
   * way any more, or takes longer than one may.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let link: RoomLink | undefined;
    try {
      link = await this.#first();
      while (link && !this.#closing.signal.aborted) link = await this.#recordUntilLost(link);
    } catch (error) {
      this.#failure = 'a fault of the recorder';
      this.#deps.log.error({ err: error }, 'a connection failed by a fault of ours');
    }
    void this.#leave(link);
    void this.#leave(this.#link);
    await this.#allLeft();
    this.#set(this.#closing.signal.aborted ? 'closed' : 'lost');
  }

  async #first(): Promise<RoomLink | undefined> {
    const closing = this.#closing.signal;
    const link = await this.#deps.inTurn(async () => {
      if (closing.aborted) return undefined;
      this.#set('connecting');
      return await this.#open('', closing);
    });
    return link ?? (await this.#retry(closing, new AbortController().signal));
  }

  /** Gives the link to record from next; undefined when there is none, or when the connection is closing. */
  async #recordUntilLost(link: RoomLink): Promise<RoomLink | undefined> {
    const closing = this.#closing.signal;
    const since = performance.now();
    await this.#record(link);
    while (link.state === 'up' && !closing.aborted) await link.changed(closing);
    if (closing.aborted) return undefined;
    if (performance.now() - since >= this.#deps.timing.healthyMs) this.#attempts = 0;
    return await this.#recover(link);
  }

  /** Records from `link`, and leaves the one before it. */
  async #record(link: RoomLink): Promise<void> {
    const before = this.#link;
    this.#link = link;
    this.#failure = null;
    this.#set('recording');
    const isFresh = link !== before;
    this.#listener.connected(link, isFresh);
    if (!isFresh) return;
    // What the old room still says was said before: it comes first. The new one keeps what it hears meanwhile.
    if (before) await settledWithin(this.#leave(before), this.#deps.timing.handOverMs);
    const isRepeated = this.#overlap.follow(link.beganAt);
    link.deliver((heard) => {
      // From a room that was left there still come the texts that this cut off, and nothing else.
      if (this.#link !== link && heard.event.type !== 'text_stream') return;
      if (isRepeated(heard.event)) return;
      this.#overlap.note(heard.event);
      this.#listener.event(heard);
    });
  }

  /** Gives the link to record from next: `old` if the SDK brings it back first, else a fresh one; undefined if none. */
  async #recover(old: RoomLink): Promise<RoomLink | undefined> {
    this.#failure = old.reason ?? 'the server fell silent';
    this.#set('reconnecting');
    this.#listener.interrupted(old);
    if (isTakenAway(old)) await this.#verify();
    if (this.#isRetired) {
      await aborted(this.#closing.signal);
      return undefined;
    }
    const settled = new AbortController();
    const hurry = new AbortController();
    const signal = AbortSignal.any([settled.signal, this.#closing.signal]);
    const retried = this.#retry(signal, hurry.signal);
    let chosen: RoomLink | undefined;
    try {
      chosen = await Promise.race([this.#resume(old, signal, hurry), retried]);
      return chosen;
    } finally {
      settled.abort();
      this.#left = Promise.all([this.#left, this.#undo(retried, chosen)]);
    }
  }

  /** A database that says nothing must not keep a session without a recorder. */
  async #verify(): Promise<void> {
    await withDeadline(this.#deps.verify(), this.#deps.timing.connectMs).catch(() => {});
  }

  /** Leaves what an attempt brings, unless it was chosen. */
  async #undo(retried: Promise<RoomLink | undefined>, chosen: RoomLink | undefined): Promise<void> {
    const link = await retried.catch(() => undefined);
    if (link && link !== chosen) await this.#depart(link);
  }

  /** Waits for what the SDK makes of the old room. Only what settles the matter resolves it before `signal` aborts. */
  async #resume(
    old: RoomLink,
    signal: AbortSignal,
    hurry: AbortController,
  ): Promise<RoomLink | undefined> {
    const { sendTo, timing } = this.#deps;
    while (old.state !== 'gone' && !signal.aborted) {
      if (old.state === 'down') await old.changed(signal);
      else if (await old.hears(sendTo, timing.proofMs, signal)) return old;
      // It seems to be back, and is deaf: only a fresh room helps.
      else hurry.abort();
    }
    if (signal.aborted) return undefined;
    this.#failure = old.reason;
    // Somebody connects in our name: to come back would only throw them out in turn.
    if (old.reason === 'DUPLICATE_IDENTITY') return undefined;
    if (isTakenAway(old)) {
      await this.#verify();
      hurry.abort();
    }
    await aborted(signal);
    return undefined;
  }

  /** Makes the attempts that are left, each with a fresh room; in a hurry the first without its wait. */
  async #retry(signal: AbortSignal, hurry: AbortSignal): Promise<RoomLink | undefined> {
    const { retryDelaysMs } = this.#deps.timing;
    const wait = AbortSignal.any([signal, hurry]);
    let delays = retryDelaysMs.slice(this.#attempts);
    while (delays.length > 0 && !signal.aborted) {
      const [delayMs = 0] = delays;
      const isHurried = hurry.aborted;
      await pause(jittered(delayMs), isHurried ? signal : wait);
      if (signal.aborted) return undefined;
      this.#attempts += 1;
      this.#listener.changed();
      this.#names += 1;
      const link = await this.#deps.inTurn(() => this.#open(`.${this.#names}`, signal));
      if (link) return link;
      delays = delays.slice(1);
    }
    return undefined;
  }

  /**
   * Gives a link that hears, or undefined when there is none; whoever does not want it any more is to leave it. Until it
   * hears it is not believed, though the SDK calls it connected.
   */
  async #open(suffix: string, signal: AbortSignal): Promise<RoomLink | undefined> {
    if (signal.aborted) return undefined;
    const { sendTo, timing, log } = this.#deps;
    try {
      const link = await this.#deps.connect(suffix);
      if ((await link.hears(sendTo, timing.connectMs, signal)) || signal.aborted) return link;
      this.#failure = link.reason ?? 'nothing is heard in the room';
      log.warn({ reason: this.#failure, attempt: this.#attempts }, 'a connection stayed deaf');
      void this.#leave(link);
    } catch (error) {
      this.#failure = redactTokens(error instanceof Error ? error.message : String(error));
      log.warn({ err: error, attempt: this.#attempts }, 'cannot connect');
    }
    return undefined;
  }

  /** Leaves a room, and resolves when that is done; `close` waits for it too. */
  #leave(link: RoomLink | undefined): Promise<void> {
    const departed = link ? this.#depart(link) : Promise.resolve();
    this.#left = Promise.all([this.#left, departed]);
    return departed;
  }

  async #depart(link: RoomLink): Promise<void> {
    await link.leave().catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'cannot leave a room');
    });
  }

  /** Waits for all rooms to be left, and for attempts that are not wanted any more: for these as long as one may take. */
  async #allLeft(): Promise<void> {
    await settledWithin(this.#left, this.#deps.timing.connectMs);
  }

  #set(state: ConnectionState): void {
    if (!canFollow(this.#state, state)) throw new Error(`${this.#state} → ${state}`);
    this.#state = state;
    const details = { state, attempts: this.#attempts, failure: this.#failure };
    const isTrouble = state === 'reconnecting' || state === 'lost';
    this.#deps.log[isTrouble ? 'warn' : 'info'](details, 'the connection changed');
    this.#listener.changed();
  }
}

/** Waits for `work`, which does not reject, but no longer than that. */
async function settledWithin(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const isDone = new AbortController();
  await Promise.race([work, pause(timeoutMs, isDone.signal)]);
  isDone.abort();
}

function jittered(delayMs: number): number {
  return delayMs * (1 - JITTER + 2 * JITTER * Math.random());
}

/** Then its session may be closed: to join it before that is known would bring its room back. */
function isTakenAway({ state, reason }: RoomLink): boolean {
  return state === 'gone' && TAKEN_AWAY.has(reason ?? '');
}
