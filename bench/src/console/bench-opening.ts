import { Stopwatch } from '../measure/stopwatch.ts';
import type { ConsoleTestbed } from './console-testbed.ts';

const COUNT = 10_000;

/**
 * Measures until the newest page of a session of 10,000 messages is shown: from a click in the list of sessions, and from its
 * address in a browser with an empty cache.
 */
export async function benchOpening(
  testbed: ConsoleTestbed,
  rounds: number,
  note: (text: string) => void,
): Promise<string[][]> {
  const times = new Stopwatch();
  const { token, projectId } = await testbed.user();
  for (let round = 1; round <= rounds; round += 1) {
    note(`${round} of ${rounds}`);
    const name = `Session ${round}.`;
    const id = await testbed.createSession(name, COUNT);
    for (const way of ['click in the list', 'address']) {
      await using context = await testbed.openContext(token);
      const page = await context.newPage();
      const newest = page.locator('article', { hasText: `Message ${COUNT}.` });
      let from: number;
      if (way === 'address') {
        from = performance.now();
        await page.goto(`/sessions/${id}`, { waitUntil: 'commit' });
      } else {
        await page.goto(`/projects/${projectId}`);
        const link = page.getByRole('main').getByRole('link', { name });
        await link.waitFor();
        from = performance.now();
        await link.click();
      }
      await newest.waitFor();
      times.add(`${way} → newest of 10,000 messages`, performance.now() - from);
    }
  }
  return times.rows();
}
