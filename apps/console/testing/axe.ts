import axe from 'axe-core';
import type { Page } from 'playwright-core';

const OPTIONS: axe.RunOptions = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations'],
};

const THEMES = ['light', 'dark'] as const;

/** Returns one line for each violation of WCAG 2.2 AA on the page as it is now, in both themes. */
export async function violations(page: Page): Promise<string[]> {
  // Under our Content-Security-Policy the page can load no script of ours, but the debugger can run one.
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const own = await setTheme(page, theme);
    const results = await page.evaluate((options) => window.axe.run(document, options), OPTIONS);
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
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  return found;
}

/** Sets the theme that the user has chosen, where one was chosen, and returns the former one. */
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
