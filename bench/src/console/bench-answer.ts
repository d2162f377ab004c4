import { StartError } from '@session/kit';
import type { BrowserContext } from '@session/testing/browser';
import { Stopwatch } from '../measure/stopwatch.ts';
import type { ConsoleTestbed } from './console-testbed.ts';

/** One of the suggestions that the page of a new conversation offers. */
const WORDS = 'Good morning! Who is there?';

/**
 * Measures the click on *Try it now* until the echo agent answers a suggestion, which is clicked as soon as it is there. Each
 * round is a visitor with an empty cache. The first one finds no project; for each other one the conversation of the last was
 * closed, so that session and agent are new.
 */
export async function benchAnswer(
  testbed: ConsoleTestbed,
  rounds: number,
  note: (text: string) => void,
): Promise<string[][]> {
  const times = new Stopwatch();
  const first = new Stopwatch();
  for (let round = 0; round <= rounds; round += 1) {
    note(`${round} of ${rounds}`);
    await visit(testbed, round === 0 ? first : times);
  }
  const firstRows = first.rows().map(([name = '', ...cells]) => [`${name}, first visit`, ...cells]);
  return [...times.rows(), ...firstRows];
}

async function visit(testbed: ConsoleTestbed, times: Stopwatch): Promise<void> {
  await using context = await testbed.openContext();
  const page = await context.newPage();
  await page.goto(testbed.demoUrl);
  const button = page.getByRole('button', { name: 'Try it now' });
  await button.waitFor();
  const clickedAt = performance.now();
  const since = (name: string) =>
    times.add(`*Try it now* → ${name}`, performance.now() - clickedAt);
  await button.click();
  await page.waitForURL('**/sessions/*');
  since('page of the session');
  const suggestion = page.getByRole('button', { name: WORDS });
  await suggestion.waitFor();
  since('something to say');
  await suggestion.click();
  const saidAt = performance.now();
  await page.getByText(`You said: ${WORDS}`).first().waitFor();
  since('first answer');
  times.add('said → answer', performance.now() - saidAt);
  await finish(testbed, context, new URL(page.url()).pathname.split('/').at(-1) ?? '');
}

/** Closes the conversation, so that the next visitor begins one, and waits until its agent is gone. */
async function finish(
  testbed: ConsoleTestbed,
  context: BrowserContext,
  sessionId: string,
): Promise<void> {
  const { origins } = await context.storageState();
  const kept = origins.flatMap(({ localStorage }) => localStorage);
  const token = kept.find(({ name }) => name === 'session.token')?.value;
  if (token === undefined) throw new StartError('The visitor is not signed in.');
  const client = testbed.clientOf(token);
  await client.sessions.close(sessionId);
  await testbed.until('the end of an agent', async () => {
    const { items } = await client.agents.list(sessionId);
    return items.every(({ status }) => status === 'Stopped');
  });
}
