import type { StackConfig } from '../config.ts';
import type { PortRequest } from '../supervision/ports.ts';
import type { Progress } from '../supervision/progress.ts';
import type { ServiceSpec } from '../supervision/service.ts';
import type { DemoSecret, Secrets } from './secrets.ts';

/** The port that a part should have, if it should have any in particular. */
type PortChoice = Pick<PortRequest, 'usual' | 'variable' | 'wanted'>;

/** What the parts of a stack are started with. */
export interface StackContext {
  readonly config: StackConfig;
  readonly secrets: Secrets;
  readonly demoAccount: DemoSecret;
  readonly progress: Progress;
  readonly stop: AbortSignal;
  /** Starts a part. Disposal stops it. */
  start(this: void, spec: ServiceSpec): Promise<AsyncDisposable>;
  /**
   * Returns a free port of `host` for the part called `name`: the wanted port, otherwise the part's previous port, otherwise
   * the usual port. Informs the user when the wanted port is taken. Throws a StartError when it is the user's own choice.
   */
  portOf(this: void, name: string, host: string, choice?: PortChoice): Promise<number>;
}

/** All parts are reachable from this machine only, but for the API, whose address the user chooses. */
export const LOOPBACK = '127.0.0.1';

/** The names of the parts whose ports the user may choose. */
export const API = 'API';
export const CONSOLE = 'console';
