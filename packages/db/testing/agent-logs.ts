import { appendLog, findLogEnd } from '../src/queries/agents/agent-log-appends.ts';
import type { TestProject } from './project.ts';

/** Returns `count` lines from the number `first` on, a microsecond apart. */
export function logLines(first: number, count: number, text = '') {
  return Array.from({ length: count }, (_, index) => ({
    at: 1_795_247_711_560_123 + first + index,
    line: `${first + index} ${text}`,
  }));
}

/** Stores appends of the given sizes at the end of an agent's log, and returns all its lines. */
export async function appendLogLines(
  project: TestProject,
  agentId: string,
  sizes: readonly number[],
) {
  let end = await findLogEnd(project, agentId);
  for (const size of sizes) {
    const next = await appendLog(project, agentId, end, logLines(end.nextLine, size));
    if (!next) throw new Error('another process has written');
    end = next;
  }
  return logLines(0, end.nextLine);
}
