import { readFile } from 'node:fs/promises';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const OPTIONS: axe.RunOptions = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations'],
};

/** The themes differ only in colours. */
const OF_COLOURS: axe.RunOptions = {
  runOnly: { type: 'tag', values: ['cat.color'] },
  // A rule of level AAA.
  rules: { 'color-contrast-enhanced': { enabled: false } },
  resultTypes: ['violations'],
};

const THEMES = [
  ['light', OPTIONS],
  ['dark', OF_COLOURS],
] as const;

/** Returns one line for each violation of WCAG 2.2 AA on the page as it is now, in both themes. */
export async function violations(page: Page): Promise<string[]> {
  await provideAxe(page);
  const found: string[] = [];
  const scheme = await page.evaluate(() =>
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  );
  for (const [theme, options] of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    const own = await setTheme(page, theme);
    await untilStill(page);
    const results = await page.evaluate(run, options);
    await setTheme(page, own);
    for (const { id, help, nodes } of results.violations) {
      const places = nodes.map(
        ({ target, failureSummary = '' }) => `${target.join(' ')}: ${failureSummary}`,
      );
      found.push(
        `axe, ${theme} theme, ${id} (${help}): ${places.join(' · ').replaceAll(/\s+/g, ' ')}`,
      );
    }
  }
  await page.emulateMedia({ colorScheme: scheme });
  await untilStill(page);
  return found;
}

/** Our Content-Security-Policy blocks scripts that a test adds to the page, but the debugger can run one. */
async function provideAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in window)) return;
  await page.evaluate(await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
}

/** Runs axe in the page. It cannot compute contrasts where the system chooses the colours. */
async function run(options: axe.RunOptions): Promise<axe.AxeResults> {
  const isForced = matchMedia('(forced-colors: active)').matches;
  const rules = { ...options.rules, 'color-contrast': { enabled: !isForced } };
  return await window.axe.run(document, { ...options, rules });
}

/** Waits until animations have ended, because a colour halfway to another one can have any contrast. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(async ({ finished }) => await finished));
  });
}

async function setTheme(page: Page, theme: string | undefined): Promise<string | undefined> {
  return await page.evaluate((wanted) => {
    const { dataset } = document.documentElement;
    const former = dataset['theme'];
    if (former !== undefined && wanted !== undefined) dataset['theme'] = wanted;
    return former;
  }, theme);
}

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}
