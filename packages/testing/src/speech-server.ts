import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    speechUrl: string;
  }
}

/**
 * Returns the base URL of the real speech server of `npm run test:speech`, or an empty string where this machine cannot
 * run it.
 */
export function speechServerUrl(): string {
  return inject('speechUrl');
}
