import type { Page } from 'playwright-core';

/** Waits until a page shows its content: a heading of the first level, and nothing that still loads. */
export async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/**
 * Returns what is larger than the window; nothing if the page fits. For a page that is too wide, the lines after the first name
 * up to five elements that are too wide. The page of a signed-in user must not be too high either, because it scrolls in
 * itself.
 */
export async function overflows(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    const isTooHigh = document.querySelector('#content') !== null && scrollHeight > clientHeight;
    if (isTooHigh) return [`${scrollHeight} px in a height of ${clientHeight} px`];
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    );
    const names = wide.slice(0, 5).map(({ tagName, className }) => `${tagName} ${className}`);
    return [`${scrollWidth} px in ${clientWidth} px at ${location.pathname}`, ...names];
  });
}

export async function movements(page: Page): Promise<string[]> {
  return await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration) > 0)
      .map((animation) =>
        'animationName' in animation ? String(animation.animationName) : animation.id || 'unnamed',
      ),
  );
}

export async function endlessMovements(page: Page): Promise<string[]> {
  return await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime === Infinity)
      .map((animation) =>
        'animationName' in animation ? String(animation.animationName) : animation.id || 'unnamed',
      ),
  );
}
