import type { Page } from 'playwright-core';

/** Waits until a page shows its content: a heading of the first level, and nothing that still loads. */
export async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
