import { aborted, pause, redactTokens, waitAtMost, withDeadline } from '@session/kit';
import type { Logger } from 'pino';
import type { ReceivedEvent, ReceivedEventReceiver } from '../message-path.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { Timing } from '../timing.ts';
import { type ConnectionState, canFollow } from './connection-state.ts';
import { LeftRooms } from './left-rooms.ts';
import { RepeatedPackets } from './repeated-packets.ts';
import type { RoomLink } from './room-link.ts';

const JITTER = 0.2;

export interface ConnectionDeps {
  openLink(suffix: string): Promise<RoomLink>;
  readonly sendTo: (identity: string, packet: object) => Promise<void>;
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  verify(): Promise<void>;
  readonly log: Logger;
  readonly timing: Timing;
  readonly clock: Clock;
}

/** What a recording learns from its connection apart from events. Nothing here may throw or reject. */
interface ConnectionObserver {
  changed(): void;
  /** Called when a room begins to be recorded: a fresh room, or the same room after a reconnect. Its events follow. */
  connected(link: RoomLink, isFresh: boolean): void;
  /** Neither this room nor a fresh one is recorded from before this resolves. */
  interrupted(link: RoomLink): Promise<void>;
  parted(link: RoomLink): void;
}

/**
 * The connection of a session. Resume: the SDK repairs the same room. Retry: the recorder joins a fresh one. A room that was
 * given up because the server has another room of its name is still recorded while participants are in it.
 */
export class RoomConnection {
  readonly #deps: ConnectionDeps;
  readonly #observer: ConnectionObserver;
  readonly #events: ReceivedEventReceiver;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #state: ConnectionState = 'waiting';
  #attempts = 0;
  #mayReconnect = true;
  #freshRooms = 0;
  #failure: string | null = null;
  #link: RoomLink | undefined;
  readonly #leftRooms = new LeftRooms<RoomLink>();
  readonly #repeatedPackets = new RepeatedPackets();
  #left: Promise<unknown> = Promise.resolve();

  constructor(deps: ConnectionDeps, observer: ConnectionObserver, events: ReceivedEventReceiver) {
    this.#deps = deps;
    this.#observer = observer;
    this.#events = events;
    // Not at once: the observer may still be under construction, and must be complete when it is called.
    this.#running = Promise.resolve().then(() => this.#run());
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get failure(): string | null {
    return this.#failure;
  }

  get link(): RoomLink | undefined {
    return this.#link;
  }

  get links(): readonly RoomLink[] {
    return [...(this.#link ? [this.#link] : []), ...this.#leftRooms.links];
  }

  /** Makes the next interruption final: a reconnect could create the room of a closed session again. */
  stopReconnecting(): void {
    this.#mayReconnect = false;
  }

  /** Resolves when every event is reported, and any running attempt has ended or timed out. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let link: RoomLink | undefined;
    try {
      link = await this.#connectFirst();
      while (link && !this.#closing.signal.aborted) link = await this.#recordUntilLost(link);
    } catch (error) {
      this.#failure = 'a fault of the recorder';
      this.#deps.log.error({ err: error }, 'connection ended by internal error');
    }
    void this.#leave(link);
    void this.#leave(this.#link);
    await this.#allLeft();
    this.#set(this.#closing.signal.aborted ? 'closed' : 'lost');
  }

  async #connectFirst(): Promise<RoomLink | undefined> {
    const closing = this.#closing.signal;
    const link = await this.#deps.inTurn(async () => {
      if (closing.aborted) return undefined;
      this.#set('connecting');
      return await this.#open('', closing);
    });
    return link ?? (await this.#retry(closing, new AbortController().signal));
  }

  async #recordUntilLost(link: RoomLink): Promise<RoomLink | undefined> {
    const closing = this.#closing.signal;
    const since = performance.now();
    await this.#record(link);
    while (link.state === 'up' && !closing.aborted) await link.changed(closing);
    if (closing.aborted) return undefined;
    if (performance.now() - since >= this.#deps.timing.healthyMs) this.#attempts = 0;
    return await this.#recover(link);
  }

  async #record(link: RoomLink): Promise<void> {
    const before = this.#link;
    this.#link = link;
    this.#failure = null;
    this.#set('recording');
    const isFresh = link !== before;
    const isKept = isFresh && before && this.#leftRooms.isNeeded(before, link);
    if (isKept) this.#left = Promise.all([this.#left, this.#keep(before)]);
    this.#observer.connected(link, isFresh);
    if (!isFresh) return;
    // The last events of the old room are older, and come first. Meanwhile the new room keeps its events.
    if (before && !isKept) await waitAtMost(this.#leave(before), this.#deps.timing.handOverMs);
    const wasDelivered = this.#repeatedPackets.detectorFor(link.beganAt, this.#deps.clock.now());
    const isReplaced = () => this.#link !== link && !this.#leftRooms.has(link);
    const receive = (received: ReceivedEvent) => {
      if (isReplaced()) return;
      if (wasDelivered(received.event)) return;
      this.#repeatedPackets.remember(received.event);
      this.#events.receive(received);
    };
    // A replaced room may still report tracks, and the ends of text streams that its leave cut off. Other events are ignored.
    link.deliver({
      receive,
      receiveBegin: (begun) => {
        if (!isReplaced()) this.#events.receiveBegin(begun);
      },
      receiveEnd: (ended) => this.#events.receiveEnd(ended),
      receiveTrack: (track) => this.#events.receiveTrack(track),
    });
  }

  async #recover(old: RoomLink): Promise<RoomLink | undefined> {
    this.#failure = old.reason ?? 'the server fell silent';
    this.#set('reconnecting');
    await this.#observer.interrupted(old);
    if (old.isRemoved) await this.#verify();
    if (!this.#mayReconnect) {
      await aborted(this.#closing.signal);
      return undefined;
    }
    const chosenOrOver = new AbortController();
    const retryNow = new AbortController();
    const signal = AbortSignal.any([chosenOrOver.signal, this.#closing.signal]);
    const retried = this.#retry(signal, retryNow.signal);
    let chosen: RoomLink | undefined;
    try {
      chosen = await Promise.race([this.#resume(old, signal, retryNow), retried]);
      return chosen;
    } finally {
      chosenOrOver.abort();
      this.#left = Promise.all([this.#left, this.#leaveUnlessChosen(retried, chosen)]);
    }
  }

  /** Limits the wait, because a silent database must not leave a session without a recorder. */
  async #verify(): Promise<void> {
    await withDeadline(this.#deps.verify(), this.#deps.timing.connectMs).catch(() => {});
  }

  async #leaveUnlessChosen(
    retried: Promise<RoomLink | undefined>,
    chosen: RoomLink | undefined,
  ): Promise<void> {
    const link = await retried.catch(() => undefined);
    if (link && link !== chosen) await this.#depart(link);
  }

  /**
   * Returns the room once it receives again. Before `signal` aborts, returns undefined only when a fresh room would not
   * help either.
   */
  async #resume(
    old: RoomLink,
    signal: AbortSignal,
    retryNow: AbortController,
  ): Promise<RoomLink | undefined> {
    const { sendTo, timing } = this.#deps;
    while (old.state !== 'gone' && !signal.aborted) {
      if (old.state === 'down') await old.changed(signal);
      else if (await old.proveReceiving(sendTo, timing.proofMs, signal)) return old;
      // The room seems to be back, but receives nothing: only a fresh room helps.
      else retryNow.abort();
    }
    if (signal.aborted) return undefined;
    this.#failure = old.reason;
    // Another client connected under this identity, and a reconnect would only remove that client in turn.
    if (old.reason === 'DUPLICATE_IDENTITY') return undefined;
    if (old.isRemoved) await this.#verify();
    if (old.isRemoved || old.lostSince !== undefined) retryNow.abort();
    await aborted(signal);
    return undefined;
  }

  async #retry(signal: AbortSignal, now: AbortSignal): Promise<RoomLink | undefined> {
    const { retryDelaysMs } = this.#deps.timing;
    const waitEnd = AbortSignal.any([signal, now]);
    // Brief connections do not reset the number of attempts. After them each call has fewer attempts left, but at least one,
    // until there have been twice as many attempts as `retryDelaysMs` has entries.
    const spent = Math.min(this.#attempts, retryDelaysMs.length - 1);
    let delays = this.#attempts < 2 * retryDelaysMs.length ? retryDelaysMs.slice(spent) : [];
    while (delays.length > 0 && !signal.aborted) {
      const [delayMs = 0] = delays;
      const hasSkippedWait = now.aborted;
      await pause(jittered(delayMs), hasSkippedWait ? signal : waitEnd);
      if (signal.aborted) return undefined;
      this.#attempts += 1;
      this.#observer.changed();
      this.#freshRooms += 1;
      const link = await this.#deps.inTurn(() => this.#open(`.${this.#freshRooms}`, signal));
      if (link) return link;
      delays = delays.slice(1);
    }
    return undefined;
  }

  /**
   * Returns undefined when the new link does not prove that it receives, because the SDK reports even deaf rooms as
   * connected. The caller leaves a link that it does not use.
   */
  async #open(suffix: string, signal: AbortSignal): Promise<RoomLink | undefined> {
    if (signal.aborted) return undefined;
    const { sendTo, timing, log } = this.#deps;
    try {
      const link = await this.#deps.openLink(suffix);
      const isReceiving = await link.proveReceiving(sendTo, timing.connectMs, signal);
      if (isReceiving || signal.aborted) return link;
      this.#failure = link.reason ?? 'nothing is received in the room';
      log.warn(
        { reason: this.#failure, attempt: this.#attempts },
        'gave up connection that received nothing',
      );
      void this.#leave(link);
    } catch (error) {
      this.#failure = redactTokens(error instanceof Error ? error.message : String(error));
      log.warn({ err: error, attempt: this.#attempts }, 'connecting to room failed');
    }
    return undefined;
  }

  async #keep(link: RoomLink): Promise<void> {
    await this.#leftRooms.keep(link, this.#closing.signal);
    if (!this.#closing.signal.aborted) this.#observer.parted(link);
    await this.#depart(link);
  }

  #leave(link: RoomLink | undefined): Promise<void> {
    const departed = link ? this.#depart(link) : Promise.resolve();
    this.#left = Promise.all([this.#left, departed]);
    return departed;
  }

  async #depart(link: RoomLink): Promise<void> {
    await link.leave().catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'leaving room failed');
    });
  }

  async #allLeft(): Promise<void> {
    await waitAtMost(this.#left, this.#deps.timing.connectMs);
  }

  #set(state: ConnectionState): void {
    if (!canFollow(this.#state, state)) throw new Error(`no step from ${this.#state} to ${state}`);
    this.#state = state;
    const details = { state, attempts: this.#attempts, failure: this.#failure };
    const hasFailed = state === 'reconnecting' || state === 'lost';
    this.#deps.log[hasFailed ? 'warn' : 'info'](details, 'connection state changed');
    this.#observer.changed();
  }
}

function jittered(delayMs: number): number {
  return delayMs * (1 - JITTER + 2 * JITTER * Math.random());
}
