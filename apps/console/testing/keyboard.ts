import type { Locator } from 'playwright-core';

const MOST_STEPS = 80;

export async function tabTo(control: Locator): Promise<void> {
  await control.waitFor();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (await hasFocus(control)) return;
    await control.page().keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${control.toString()}.`);
}

export async function hasFocus(control: Locator): Promise<boolean> {
  return await control.evaluate((element) => element === document.activeElement);
}
