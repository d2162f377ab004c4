import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { hasFocus, tabTo } from '../testing/keyboard.ts';

journey(
  'the keyboard alone tries the console, talks, and closes the session',
  async ({ stack, open, axe }) => {
    const page = await open(stack.demoUrl);
    await tabTo(page.getByRole('button', { name: 'Try it now' }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sessions/*');
    const composer = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(async () => await hasFocus(composer)).toBe(true);
    await page.keyboard.type('Good morning');
    await page.keyboard.press('Enter');
    await page.getByText('You said: Good morning', { exact: true }).waitFor();
    await axe(page);
    await tabTo(page.getByRole('button', { name: 'Close', exact: true }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
    await dialog.waitFor();
    await axe(page);
    await tabTo(dialog.getByRole('button', { name: 'Close session' }));
    await page.keyboard.press('Enter');
    await page.getByText(/Closed at/).waitFor();
  },
);
