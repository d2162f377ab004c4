import { expect } from 'vitest';
import { joinRoom, startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';
import { hasFocus } from '../testing/keyboard.ts';
import { overflows } from '../testing/layout.ts';

journey('what a product noted on a session stands below each panel', async ({ ada, open }) => {
  const { id: projectId } = await ada.client.projects.create({ name: 'Acme Support' });
  const metadata = { channel: 'web', customer: 'c-17' };
  const noted = { name: 'Refund 4471', externalId: 'order-4711', metadata };
  const { id } = await ada.client.sessions.create(projectId, noted);
  const page = await open(`/sessions/${id}`, { as: ada });
  const about = page.getByRole('complementary', { name: 'About this session' });
  const facts = about.getByRole('region', { name: 'Metadata' });
  for (const panel of ['People', 'Recording', 'Agents']) {
    await about.getByRole('link', { name: panel }).click();
    await facts.waitFor();
  }
  expect(await facts.getByRole('term').allTextContents()).toEqual([
    'External id',
    ...Object.keys(metadata),
  ]);
  expect(await facts.getByRole('definition').allTextContents()).toEqual([
    'order-4711',
    ...Object.values(metadata),
  ]);
});

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
