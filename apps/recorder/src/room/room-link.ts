import { EventEmitter, once } from 'node:events';
import { DisconnectReason, Room, RoomEvent as SdkEvent } from '@livekit/rtc-node';
import type { PresenceEvent, RoomEvent } from '@session/contract/room';
import { pause, withDeadline } from '@session/kit';
import {
  guard,
  joinedEvent,
  listenerOptions,
  listenToRoom,
  releaseRoom,
  transportId,
} from '@session/media';
import { v7 as uuidv7 } from 'uuid';

/** More than comes between a connect and the moment at which its winner is known. */
const MAX_EARLY = 10_000;
const LEAVE_MS = 5000;
const PROOF_EVERY_MS = 100;
/** The server keeps what participants say for 2 s, for those who are still joining. */
const KEPT_MS = 1000;
const TEXTS_MS = 1000;

/** `up`: it hears. `down`: the SDK tries to bring it back. `gone`: it never comes back. */
export type LinkState = 'up' | 'down' | 'gone';

/** An event, and how its room stood when it came. */
export interface Heard {
  readonly event: RoomEvent;
  /** The connection was up. */
  readonly isSound: boolean;
  /** The identities of all who had been announced; empty when the event names its sender. */
  readonly announced: ReadonlySet<string>;
}

/** A room of the SDK, from its one connect to its end. What happens in it is kept until somebody takes it. */
export class RoomLink {
  readonly #room = new Room();
  readonly #leaving = new AbortController();
  readonly #changes = new EventEmitter();
  #state: LinkState = 'up';
  #reason: string | null = null;
  readonly #onError: (error: unknown) => void;
  #early: Heard[] = [];
  #take: ((heard: Heard) => void) | undefined;
  /** When each began, by its stream's id. */
  readonly #openTexts = new Map<string, number>();
  #lastEventAt = Date.now();
  #isLossless = false;
  /** Of the connection that was proved last. */
  #transport: string | undefined;
  #proof: { readonly id: string; readonly arrived: AbortController } | undefined;
  /** Milliseconds since the epoch: when it began to connect. */
  readonly beganAt = Date.now();
  readonly #began = performance.now();
  /** How long it took from the first step to the first proof that it hears. */
  #deafMs: number | undefined;

  private constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
    listenToRoom(this.#room, {
      event: (event) => this.#receive(event),
      error: onError,
      leaving: this.#leaving.signal,
      textOpened: (streamId) => this.#openTexts.set(streamId, Date.now()),
    });
    const on = (name: SdkEvent.Reconnecting | SdkEvent.Reconnected, work: () => void) =>
      this.#room.on(name, guard(work, onError));
    on(SdkEvent.Reconnecting, () => this.#change('down'));
    on(SdkEvent.Reconnected, () => this.#change('up'));
    this.#room.on(
      SdkEvent.Disconnected,
      guard((reason) => {
        this.#reason = DisconnectReason[reason] ?? 'UNKNOWN_REASON';
        this.#change('gone');
      }, onError),
    );
  }

  /**
   * Connects to the room of `token`, which takes `timeoutMs` at most; throws when that fails. An attempt that succeeds
   * later than that is undone.
   */
  static async connect(
    { url, token, timeoutMs }: { url: string; token: string; timeoutMs: number },
    onError: (error: unknown) => void,
  ): Promise<RoomLink> {
    const link = new RoomLink(onError);
    const connecting = link.#room.connect(url, token, listenerOptions());
    try {
      await withDeadline(connecting, timeoutMs);
    } catch (error) {
      connecting
        .catch(() => {})
        .then(() => link.leave())
        .catch(onError);
      throw error;
    }
    return link;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Why it is gone, in LiveKit's words. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Whether a text stream is open that has begun before that time (milliseconds since the epoch). */
  hasOpenTexts(before = Number.POSITIVE_INFINITY): boolean {
    return [...this.#openTexts.values()].some((begun) => begun < before);
  }

  /** Milliseconds since the epoch: when it last heard something. */
  get lastEventAt(): number {
    return this.#lastEventAt;
  }

  /** Whether the SDK's last reconnect, as far as it is proved, was a resume, which loses nothing. */
  get isLossless(): boolean {
    return this.#isLossless;
  }

  /**
   * Since when it hears all, on the server's clock, in milliseconds since the epoch: since it joined, unless it was deaf
   * for longer than the server keeps what is said; null when the server does not say.
   */
  get hearsSince(): number | null {
    const joinedAt = this.#room.localParticipant?.info.joinedAt;
    if (joinedAt === undefined) return null;
    const deafMs = this.#deafMs ?? 0;
    return Number(joinedAt) + (deafMs > KEPT_MS ? deafMs : 0);
  }

  /**
   * Whether what is said in the room arrives here, within `timeoutMs`: `send` has the server send a packet to us alone,
   * again and again, for it drops what it cannot deliver yet. False, too, when the connection breaks or `signal` aborts.
   *
   * Measured on a loaded machine: of 240 fresh connections 18 heard nothing of the server for up to 0.4 s after the SDK
   * had called them connected; and after about every second resume in a quiet room nothing ever came again.
   */
  async hears(
    send: (identity: string, packet: object) => Promise<void>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const proof = { id: uuidv7(), arrived: new AbortController() };
    this.#proof = proof;
    const identity = this.#room.localParticipant?.identity ?? '';
    const isOver = AbortSignal.any([proof.arrived.signal, AbortSignal.timeout(timeoutMs), signal]);
    while (!isOver.aborted && this.#state === 'up') {
      // A server that cannot be asked now may be the next time.
      await send(identity, { type: 'recorder_proof', id: proof.id }).catch(() => {});
      await pause(PROOF_EVERY_MS, isOver);
    }
    if (!proof.arrived.signal.aborted) return false;
    this.#deafMs ??= performance.now() - this.#began;
    // One that is down again cannot say.
    const transport = await transportId(this.#room).catch(() => undefined);
    this.#isLossless = transport !== undefined && transport === this.#transport;
    this.#transport = transport;
    return true;
  }

  /** All who have been announced, as joins. */
  roster(): PresenceEvent[] {
    const joins = Array.from(this.#room.remoteParticipants.values(), joinedEvent);
    return joins.toSorted((a, b) => (a.joinedAt ?? 0) - (b.joinedAt ?? 0));
  }

  /** Hands over all events from now on, first those that have come already. `take` must not throw. */
  deliver(take: (heard: Heard) => void): void {
    this.#take = take;
    for (const heard of this.#early) take(heard);
    this.#early = [];
  }

  /** Resolves at the next change of state, or when `signal` aborts. */
  async changed(signal: AbortSignal): Promise<void> {
    await once(this.#changes, 'changed', { signal }).catch(() => {});
  }

  /**
   * Leaves, and waits for the text streams that this cuts off. Harmless when called again. Throws when it takes longer
   * than 5 s, as with a frozen server.
   */
  async leave(): Promise<void> {
    this.#leaving.abort();
    await withDeadline(releaseRoom(this.#room), LEAVE_MS);
    const patience = AbortSignal.timeout(TEXTS_MS);
    while (this.hasOpenTexts() && (await pause(1, patience)));
  }

  #receive(event: RoomEvent): void {
    if (this.#isProof(event)) return;
    this.#lastEventAt = Date.now();
    if (event.type === 'text_stream') this.#openTexts.delete(event.streamId);
    const isUnsigned = 'sender' in event && !event.sender;
    const announced = new Set(isUnsigned ? this.#room.remoteParticipants.keys() : []);
    const heard = { event, isSound: this.#state === 'up', announced };
    if (this.#take) this.#take(heard);
    // Nobody takes over a room that is being left.
    else if (this.#leaving.signal.aborted) this.#early = [];
    else if (this.#early.length < MAX_EARLY) this.#early.push(heard);
    else this.#onError(new Error('too much is said in a room that is not recorded from yet'));
  }

  #isProof(event: RoomEvent): boolean {
    const proof = this.#proof;
    if (event.type !== 'packet' || event.sender || !proof) return false;
    const isProof = Buffer.from(event.payload).includes(proof.id);
    if (isProof) proof.arrived.abort();
    return isProof;
  }

  #change(state: LinkState): void {
    if (this.#state === 'gone') return;
    this.#state = state;
    this.#changes.emit('changed');
  }
}
