import type { DrillStack } from './drill-stack.ts';

export interface Drill {
  readonly alert: string;
  /** Further alerts that the same failure raises. */
  readonly others?: readonly string[];
  readonly breaks: string;
  readonly mends: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Breaks a healthy stack. Disposal of the result mends it. */
  break(this: void, stack: DrillStack): Promise<AsyncDisposable>;
}

export function drillName({ alert }: Drill): string {
  return alert.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}
