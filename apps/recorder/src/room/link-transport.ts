/**
 * LiveKit gives up the transport of a participant that was silent for 15 s. From then on it drops the packets for that
 * participant, but it accepts a resume for 5 s more. The SDK notices a dead network up to 15 s late, so a resume of 2 s or more
 * may have come after the transport's end. A reconnect of the signal connection alone took 1.02 to 1.08 s, of which 1 s is a
 * fixed wait of the SDK.
 */
const LOSSLESS_RESUME_MS = 2000;

/** Which transport a connection has, since when, and whether the last reconnect may have lost packets. */
export class LinkTransport {
  #id: string | undefined;
  #beganAt: number;
  #downSince: number | undefined;
  #resumeMs = 0;
  #isLossless = false;

  constructor(beganAt: number) {
    this.#beganAt = beganAt;
  }

  /** Nothing that was sent before this time comes through the transport. */
  get beganAt(): number {
    return this.#beganAt;
  }

  get isLossless(): boolean {
    return this.#isLossless;
  }

  interrupted(now: number): void {
    this.#downSince ??= now;
  }

  reconnected(now: number): void {
    this.#resumeMs = now - (this.#downSince ?? now);
  }

  /** Notes that the transport `id` receives (undefined: unknown which). Returns whether it is the same one as before. */
  proved(id: string | undefined, isUp: boolean): boolean {
    const isResumed = id !== undefined && id === this.#id;
    const isReplaced = id !== undefined && this.#id !== undefined && !isResumed;
    if (isReplaced) this.#beganAt = this.#downSince ?? this.#beganAt;
    this.#isLossless = isResumed && this.#resumeMs < LOSSLESS_RESUME_MS;
    this.#id = id;
    if (isUp) this.#downSince = undefined;
    return isResumed;
  }
}
