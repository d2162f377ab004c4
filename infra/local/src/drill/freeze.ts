import { StartError } from '@session/kit';
import { freezeFamilies } from '../supervision/process-family.ts';
import type { DrillStack } from './drill-stack.ts';

export async function freeze(stack: DrillStack, part: string): Promise<AsyncDisposable> {
  const found = Object.entries(await stack.pids()).filter(([name]) => name.startsWith(part));
  if (found.length === 0) throw new StartError(`The stack has no process ${part}.`);
  return await freezeFamilies(found.map(([, pid]) => pid));
}
