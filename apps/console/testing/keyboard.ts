import type { Locator } from 'playwright-core';

const MOST_STEPS = 80;

/** Presses Tab until the control has the focus, as people do who have no pointer. */
export async function tabTo(control: Locator): Promise<void> {
  await control.waitFor();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (await hasFocus(control)) return;
    await control.page().keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${control.toString()}.`);
}

/** Returns whether a control has the focus. */
export async function hasFocus(control: Locator): Promise<boolean> {
  return await control.evaluate((element) => element === document.activeElement);
}
