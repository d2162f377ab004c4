import { inject } from 'vitest';

/** What the global setup of the tier `browser` provides: a whole stack with a console. */
export interface TestStack {
  /** The address of the API. */
  readonly apiUrl: string;
  /** The address of the console, under which the pages run with the headers of production. */
  readonly consoleUrl: string;
  /** The same with the key of the demo account. */
  readonly demoUrl: string;
  readonly mediaUrl: string;
  readonly databaseUrl: string;
  /** The stack's folder, with `stack.json` and the logs of all parts. */
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
