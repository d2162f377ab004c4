import { markdownTable, median } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import type { ConversationTestbed } from './bench-conversation.ts';

/** The measured events. An event that the launcher does not report gets no row. */
const STEPS = ['admitted', 'scheduled', 'started', 'joined'] as const;

/** Measures the starts one after another. The first start of each role only warms up. */
export async function benchStarts(
  { api, envTemplateId }: ConversationTestbed,
  roles: readonly string[],
  { rounds, progress }: BenchOptions,
): Promise<string> {
  const rows: string[][] = [];
  for (const role of roles) {
    const timelines = await progress.during(`Starting the ${role}`, async (note) => {
      const found: Map<string, number>[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        note(`${round} of ${rounds}`);
        const id = await api.startAgent(await api.createSession(), { role, envTemplateId });
        const { items } = await api.stopAgent(id);
        const from = Date.parse(items[0]?.at ?? '');
        found.push(new Map(items.map(({ event, at }) => [event, Date.parse(at) - from])));
      }
      return found.slice(1);
    });
    for (const step of STEPS) {
      const times = timelines.flatMap((timeline) => timeline.get(step) ?? []);
      if (times.length === 0) continue;
      const cells = [median(times), Math.min(...times), Math.max(...times)];
      rows.push([role, step, ...cells.map((ms) => `${Math.round(ms)} ms`)]);
    }
  }
  return markdownTable(['agent', 'from the request until', 'median', 'least', 'most'], rows);
}
