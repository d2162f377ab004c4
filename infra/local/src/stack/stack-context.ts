import type { StackConfig } from '../config.ts';
import type { Progress } from '../supervision/progress.ts';
import type { ServiceSpec } from '../supervision/service.ts';
import type { Secrets } from './secrets.ts';

/** What the parts of a stack are made from. */
export interface StackContext {
  readonly config: StackConfig;
  readonly secrets: Secrets;
  readonly progress: Progress;
  readonly stop: AbortSignal;
  /** Starts a part, and gives what stops it. */
  start(this: void, spec: ServiceSpec): Promise<AsyncDisposable>;
  /**
   * Gives a free port of `host` for the part called `name`: the wanted one if it can, and tells when it cannot; else the one
   * it had before, else the usual one.
   */
  portOf(this: void, name: string, host: string, wanted: number, usual?: number): Promise<number>;
}

/** All parts but the API, whose address is its user's choice, are for this machine only. */
export const LOOPBACK = '127.0.0.1';
