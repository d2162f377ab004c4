import { browserTest, testStack } from '@session/testing/browser-test';
import type { Page } from 'playwright-core';
import type { TestContext } from 'vitest';
import { violations } from './axe.ts';
import { type OwnStack, startOwnStack } from './own-stack.ts';
import { type Person, signUp } from './people.ts';
import { type PageOptions, WatchedPage } from './watched-page.ts';

/**
 * A test of the console in a real Chromium, on the whole stack of the run. A test gets the fixtures that it names:
 *
 * - `stack`: the addresses of the stack.
 * - `ada`: a person with a client of the SDK. `signUp(name)` makes others.
 * - `own`: a separate stack for the test file, whose parts the test may kill.
 * - `open(path, options)`: opens a page in a context of its own.
 * - `expectFault(pattern)`: ignores faults of pages that match.
 * - `axe(page)`: throws when the page as it is now violates WCAG 2.2 AA in one of the two themes.
 *
 * The test fails at its end if a page had an error or a warning in its console, an uncaught error, a request that failed, or a
 * request to another host, or if axe finds a violation on a page that is still open.
 */
export const journey = browserTest
  .extend('stack', testStack)
  .extend('signUp', () => signUp)
  .extend('ada', async (): Promise<Person> => await signUp())
  .extend('own', { scope: 'file' }, async ({ environment }, { onCleanup }): Promise<OwnStack> => {
    const own = await startOwnStack(environment);
    onCleanup(async () => await own[Symbol.asyncDispose]());
    return own;
  })
  .extend('expected', (): RegExp[] => [])
  .extend('expectFault', ({ expected }) => (pattern: RegExp): void => {
    expected.push(pattern);
  })
  .extend('axe', () => async (page: Page): Promise<void> => {
    const found = await violations(page);
    if (found.length > 0) throw new Error(found.join('\n'));
  })
  .extend('open', async ({ browser, expected, task }, { onCleanup }) => {
    const pages: WatchedPage[] = [];
    onCleanup(async () => {
      try {
        await examine(pages, expected, task);
      } finally {
        for (const watched of pages) await watched.close();
      }
    });
    return async (address: string, options: PageOptions = {}): Promise<Page> => {
      const watched = await WatchedPage.open(browser, address, options);
      pages.push(watched);
      return watched.page;
    };
  });

/** Throws when the pages of a journey had faults. Then, and after a failure, a picture of each page is kept. */
export async function examine(
  pages: readonly WatchedPage[],
  expected: readonly RegExp[],
  task: TestContext['task'],
): Promise<void> {
  const hasFailed = task.result?.state === 'fail';
  const faults: string[] = [];
  for (const watched of pages) {
    if (!hasFailed) faults.push(...(await watched.violations()));
    faults.push(...watched.faults(expected));
  }
  if (hasFailed || faults.length > 0) {
    for (const [index, watched] of pages.entries()) await watched.keep(`${task.name} ${index}`);
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}
