import { Stopwatch } from '../measure/stopwatch.ts';
import type { ConsoleTestbed } from './console-testbed.ts';

/**
 * Measures how long a page takes to be live again after the media server, and after the API, was killed: from the first
 * answer of the new process until the page no longer says that it is cut off.
 */
export async function benchReconnecting(
  testbed: ConsoleTestbed,
  rounds: number,
  note: (text: string) => void,
): Promise<string[][]> {
  const times = new Stopwatch();
  const servers = [
    {
      part: 'media',
      name: 'media server',
      url: testbed.mediaHttpUrl,
      line: 'The connection to the room was lost.',
    },
    {
      part: 'api',
      name: 'API',
      url: testbed.apiUrl,
      line: 'The service cannot be reached.',
    },
  ];
  for (const { part, name, url, line } of servers) {
    for (let round = 1; round <= rounds; round += 1) {
      note(`${name}, ${round} of ${rounds}`);
      const { token } = await testbed.user();
      const id = await testbed.createSession(`${name} ${round}`);
      await using context = await testbed.openContext(token);
      const page = await context.newPage();
      await page.goto(`/sessions/${id}`);
      await page.getByRole('button', { name: 'Join', exact: true }).click();
      await page.getByText('Bench joined').waitFor();
      await testbed.kill(part);
      const killedAt = performance.now();
      const notice = page.getByText(line);
      const [backAt] = await Promise.all([
        testbed
          .until(`the restart of the ${name}`, () => answers(url))
          .then(() => performance.now()),
        notice.waitFor(),
      ]);
      await notice.waitFor({ state: 'hidden' });
      times.add(`${name} back → live`, performance.now() - backAt);
      times.add(`kill -9 of the ${name} → live`, performance.now() - killedAt);
    }
  }
  return times.rows();
}

async function answers(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(1000);
  return await fetch(url, { signal }).then(
    ({ status }) => status < 500,
    () => false,
  );
}
