import { expect } from 'vitest';
import { joinRoom, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { hasFocus } from '../testing/keyboard.ts';
import { overflows } from '../testing/layout.ts';

journey.for([320, 600, 900])(
  'at %i pixels the panels slide in, and closing them returns the focus',
  async (width, { ada, open, axe }) => {
    const { sessionId } = await startSession(ada);
    const page = await open(`/sessions/${sessionId}`, { as: ada, width });
    await joinRoom(page);
    const opener = page.getByRole('button', { name: 'Agents, plan, recording and people' });
    const sheet = page.getByRole('dialog', { name: 'About this session' });
    await opener.click();
    await sheet.getByRole('link', { name: 'People' }).click();
    await sheet.getByText('Ada Park').waitFor();
    await axe(page);
    expect(await overflows(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(await hasFocus(opener)).toBe(true);

    await page.keyboard.press('Enter');
    await sheet.getByRole('heading', { name: 'In the room' }).waitFor();
    await sheet.getByRole('button', { name: 'Close' }).click();
    expect(await hasFocus(opener)).toBe(true);
    await opener.click();
    // Beside the sheet.
    await page.mouse.click(10, 300);
    await sheet.waitFor({ state: 'detached' });
    expect(await hasFocus(opener)).toBe(true);
  },
);
