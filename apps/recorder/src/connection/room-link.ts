import { EventEmitter, once } from 'node:events';
import { DisconnectReason, Room, RoomEvent as SdkEvent } from '@livekit/rtc-node';
import type { PresenceEvent, RoomEvent } from '@session/contract/room';
import { pause, withDeadline } from '@session/kit';
import { guard, joinedEvent, listen, releaseRoom, roomOptions } from '@session/media';
import { v7 as uuidv7 } from 'uuid';

/** More than comes between a connect and the moment at which its winner is known. */
const MAX_EARLY = 10_000;
const LEAVE_MS = 5000;
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
  #openTexts = 0;
  #lastEventAt = Date.now();
  #isRefreshed = false;
  #isLossless = true;
  #proof: { readonly id: string; readonly arrived: AbortController } | undefined;

  private constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
    listen(this.#room, {
      event: (event) => this.#receive(event),
      error: onError,
      leaving: this.#leaving.signal,
      textOpened: () => {
        this.#openTexts += 1;
      },
    });
    const on = (name: SdkEvent.Reconnecting | SdkEvent.Reconnected, work: () => void) =>
      this.#room.on(name, guard(work, onError));
    on(SdkEvent.Reconnecting, () => {
      this.#isRefreshed = false;
      this.#isLossless = true;
      this.#change('down');
    });
    on(SdkEvent.Reconnected, () => {
      this.#isLossless &&= this.#isRefreshed;
      this.#change('up');
    });
    this.#room.on(SdkEvent.TokenRefreshed, () => {
      this.#isRefreshed = true;
    });
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
    const connecting = link.#room.connect(url, token, roomOptions());
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

  /** Text streams that have begun and not ended. */
  get openTexts(): number {
    return this.#openTexts;
  }

  /** Milliseconds since the epoch: when it last heard something. */
  get lastEventAt(): number {
    return this.#lastEventAt;
  }

  /**
   * Whether the SDK's last reconnect was a resume, which loses nothing. It says so by a new token before it is back; a
   * full reconnect gets one after, and shows false leaves.
   */
  get isLossless(): boolean {
    return this.#isLossless;
  }

  /** When it joined, on the server's clock, in milliseconds since the epoch; null when it does not say. */
  get joinedAt(): number | null {
    const joinedAt = this.#room.localParticipant?.info.joinedAt;
    return joinedAt === undefined ? null : Number(joinedAt);
  }

  /**
   * Whether what is said in the room arrives here: `send` has the server send a packet to us alone. Measured on a loaded
   * machine: after about every second resume in a quiet room nothing ever came again, though the SDK called it connected.
   */
  async hears(
    send: (identity: string, packet: object) => Promise<void>,
    timeoutMs: number,
  ): Promise<boolean> {
    const proof = { id: uuidv7(), arrived: new AbortController() };
    this.#proof = proof;
    const identity = this.#room.localParticipant?.identity ?? '';
    await send(identity, { type: 'recorder_proof', id: proof.id });
    return !(await pause(timeoutMs, proof.arrived.signal));
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
    while (this.#openTexts > 0 && (await pause(1, patience)));
  }

  #receive(event: RoomEvent): void {
    if (this.#isProof(event)) return;
    this.#lastEventAt = Date.now();
    if (event.type === 'text_stream') this.#openTexts -= 1;
    if (event.type === 'participant_left' && this.#state === 'down') this.#isLossless = false;
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
