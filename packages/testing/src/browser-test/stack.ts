import { inject } from 'vitest';

export interface TestStack {
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly demoUrl: string;
  readonly mediaUrl: string;
  readonly databaseUrl: string;
  readonly folder: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: TestStack;
  }
}

/** Returns the stack that all journeys of the run share: use people and projects of your own. */
export function testStack(): TestStack {
  return inject('stack');
}
