import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    interopPython: string;
  }
}

/** Returns the path of a Python with LiveKit's SDK, or an empty string where the run of `npm run test:interop` found none. */
export function interopPython(): string {
  return inject('interopPython');
}
