/** What a process that simulates some of the recorders does: first `open`, then `run`. */
export type FleetJob =
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly ids: readonly string[];
      /** How many connections these recorders share, beside one for each that listens. */
      readonly connections: number;
      /** How many recorders there are in all processes. */
      readonly recorders: number;
    }
  | { readonly kind: 'run'; readonly durationMs: number };

/** How long the statements of recorders took, with the wait for a connection. */
export interface Times {
  readonly heartbeatsMs: readonly number[];
  readonly roundsMs: readonly number[];
}

/** What one process measured. */
export interface FleetShare extends Times {
  /** New sessions, and when a recorder had claimed each: milliseconds since the epoch. */
  readonly claimed: readonly (readonly [sessionId: string, at: number])[];
  /** The share of time in which the process had no time to wait for anything: near 1 it sends less than it should. */
  readonly busy: number;
}
