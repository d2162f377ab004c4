import type { Page } from 'playwright-core';

/** Waits until a page shows its content: a heading of the first level, and nothing that still loads. */
export async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/** Returns one line for each element that makes the page wider than its window. The pages of a user scroll in themselves. */
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
