import path from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the apps that the run has built. */
    services: string;
  }
}

/**
 * Returns the file of an app's program as the run has built it, for Node without further options. It starts with half of the
 * work that its source needs. Its API has no agents but those of `AGENT_PROGRAMS_DIR`. A run in watch mode does not build it again.
 */
export function serviceProgram(app: 'api' | 'recorder', program = 'main'): string {
  return path.join(inject('services'), app, 'dist', `${program}.js`);
}
