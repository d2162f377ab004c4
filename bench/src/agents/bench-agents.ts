import { StartError } from '@session/kit';
import { type Progress, readStackFile } from '@session/local';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import { BenchProject } from './bench-project.ts';

/** The events that are measured. An event that the launcher does not report has no row. */
const STEPS = ['admitted', 'scheduled', 'started', 'joined'] as const;

export interface BenchAgentsOptions {
  /** How many agents are measured, one after another, after a first one that warms up. */
  readonly rounds: number;
  readonly progress: Progress;
  readonly stop: AbortSignal;
}

/**
 * Returns how long an agent takes from its request until it is in its room, on the stack that runs in `folder` and with its
 * launcher. Throws a StartError when no stack runs there.
 */
export async function* benchAgents(
  folder: string,
  { rounds, progress, stop }: BenchAgentsOptions,
): AsyncGenerator<string> {
  const stack = await readStackFile(folder);
  if (!stack)
    throw new StartError('No stack is running. Start one with npm start, then measure its agents.');
  const api = await BenchProject.open(stack.apiUrl, stop);
  const timelines = await progress.during('Starting agents', async (note) => {
    const found: Map<string, number>[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      note(`${round} of ${rounds}`);
      const id = await api.startAgent(await api.createSession(), { role: 'echo-agent' });
      const { items } = await api.stopAgent(id);
      const from = Date.parse(items[0]?.at ?? '');
      found.push(new Map(items.map(({ event, at }) => [event, Date.parse(at) - from])));
    }
    return found.slice(1);
  });
  const rows = STEPS.map((step) => {
    const times = timelines.flatMap((timeline) => timeline.get(step) ?? []);
    const cells = [median(times), Math.min(...times), Math.max(...times)];
    return times.length === 0 ? [] : [[step, ...cells.map((ms) => `${Math.round(ms)} ms`)]];
  });
  yield markdownTable(['from the request until', 'median', 'least', 'most'], rows.flat());
}
