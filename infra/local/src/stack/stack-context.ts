import type { StackConfig } from '../config.ts';
import type { PortRequest } from '../supervision/ports.ts';
import type { Progress } from '../supervision/progress.ts';
import type { ServiceSpec } from '../supervision/service.ts';
import type { DemoSecret, Secrets } from './secrets.ts';

type PortChoice = Pick<PortRequest, 'usual' | 'variable' | 'wanted'>;

export interface StackContext {
  readonly config: StackConfig;
  readonly secrets: Secrets;
  readonly demoAccount: DemoSecret;
  readonly progress: Progress;
  readonly stop: AbortSignal;
  start(this: void, spec: ServiceSpec): Promise<AsyncDisposable>;
  /**
   * Returns a free port for the part `name`: the wanted, the previous, the usual one, or any. Throws a StartError when
   * the user's own choice is taken.
   */
  portOf(this: void, name: string, host: string, choice?: PortChoice): Promise<number>;
}

/** Parts listen here, except those whose address the user chooses. */
export const LOOPBACK = '127.0.0.1';

export const API = 'API';
export const CONSOLE = 'console';
