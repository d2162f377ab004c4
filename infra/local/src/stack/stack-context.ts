import type { StackConfig } from '../config.ts';
import type { Progress } from '../supervision/progress.ts';
import type { ServiceSpec } from '../supervision/service.ts';
import type { Secrets } from './secrets.ts';

/** What the parts of a stack are started with. */
export interface StackContext {
  readonly config: StackConfig;
  readonly secrets: Secrets;
  readonly progress: Progress;
  readonly stop: AbortSignal;
  /** Starts a part. Disposal stops it. */
  start(this: void, spec: ServiceSpec): Promise<AsyncDisposable>;
  /**
   * Returns a free port of `host` for the part called `name`: the wanted port, otherwise the part's previous port, otherwise
   * the usual port. Informs the user when the wanted port is taken.
   */
  portOf(this: void, name: string, host: string, wanted: number, usual?: number): Promise<number>;
}

/** All parts are reachable from this machine only, but for the API, whose address the user chooses. */
export const LOOPBACK = '127.0.0.1';
