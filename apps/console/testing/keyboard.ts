import type { Page } from 'playwright-core';

const MOST_STEPS = 80;

/** Presses Tab until the control with this role and name has the focus, as people do who have no pointer. */
export async function tabTo(
  page: Page,
  role: Parameters<Page['getByRole']>[0],
  name: string | RegExp,
): Promise<void> {
  const control = page.getByRole(role, { name }).first();
  await control.waitFor();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${role} ${name}.`);
}
