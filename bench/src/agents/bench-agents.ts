import { StartError } from '@session/kit';
import { type Progress, readStackFile } from '@session/local';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import { AgentsApi } from './agents-api.ts';

/** From its request; what a launcher does not know is left out. */
const STEPS = ['admitted', 'scheduled', 'started', 'joined'] as const;

export interface BenchAgentsOptions {
  /** How many agents, one after the other, besides the first, which finds nothing warm. */
  readonly rounds: number;
  readonly progress: Progress;
  readonly stop: AbortSignal;
}

/**
 * Gives how long an agent takes from its request into its room, on the stack that runs in `folder`, with whatever runs
 * agents there. Throws a StartError when none runs.
 */
export async function* benchAgents(
  folder: string,
  { rounds, progress, stop }: BenchAgentsOptions,
): AsyncGenerator<string> {
  const stack = await readStackFile(folder);
  if (!stack) throw new StartError('No stack runs here: npm start, and then measure its agents.');
  const api = await AgentsApi.open(stack.apiUrl, stop);
  const lives = await progress.during('Starting agents', async (note) => {
    const found: Map<string, number>[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      note(`${round} of ${rounds}`);
      const { items } = await api.live();
      const from = Date.parse(items[0]?.at ?? '');
      found.push(new Map(items.map(({ event, at }) => [event, Date.parse(at) - from])));
    }
    return found.slice(1);
  });
  const rows = STEPS.map((step) => {
    const times = lives.flatMap((life) => life.get(step) ?? []);
    const cells = [median(times), Math.min(...times), Math.max(...times)];
    return times.length === 0 ? [] : [[step, ...cells.map((ms) => `${Math.round(ms)} ms`)]];
  });
  yield markdownTable(['from its request until', 'median', 'least', 'most'], rows.flat());
}
