import type { DrillStack } from './drill-stack.ts';

/** The rehearsal of a failure: what breaks a stack, which alert says so, and what mends it. */
export interface Drill {
  /** The alert that fires. The name of the drill follows from it. */
  readonly alert: string;
  /** The alerts that the same failure raises too. */
  readonly others?: readonly string[];
  /** What is broken, in one sentence. */
  readonly breaks: string;
  /** What an operator does about it, in one sentence. */
  readonly mends: string;
  /** The variables of the stack. */
  readonly env?: NodeJS.ProcessEnv;
  /** Breaks a healthy stack. Disposal of the result mends it. */
  break(this: void, stack: DrillStack): Promise<AsyncDisposable>;
}

/** Returns the name of a drill: NoRecorder is rehearsed by no-recorder. */
export function drillName({ alert }: Pick<Drill, 'alert'>): string {
  return alert.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
