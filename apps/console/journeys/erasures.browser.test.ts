import { expect } from 'vitest';
import { startSession } from '../testing/conversations.ts';
import { journey } from '../testing/journey.ts';

journey(
  'an admin erases a message, a person and an end user, and finds the receipts with their digests',
  async ({ ada, open, axe }) => {
    const { projectId, sessionId } = await startSession(ada);
    for (const content of ['my address is secret', 'and so is my name', 'this is not']) {
      await ada.client.messages.say(sessionId, { content });
    }
    const page = await open(`/sessions/${sessionId}`, { as: ada });
    const row = page.getByRole('article').filter({ hasText: 'my address is secret' });
    await row.hover();
    await row.getByRole('button', { name: 'Erase this message' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase' });
    await dialog.getByText('This cannot be undone.').waitFor();
    await axe(page);
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await page.getByText('Erased', { exact: true }).waitFor();
    expect(await page.getByText('my address is secret').count()).toBe(0);
    await page.getByText('this is not').waitFor();
    await axe(page);

    const other = page.getByRole('article').filter({ hasText: 'and so is my name' });
    await other.hover();
    await other.getByRole('button', { name: 'Erase this message' }).click();
    await dialog.getByRole('radio', { name: /^All that/ }).check();
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await expect.poll(() => page.getByText('this is not').count()).toBe(0);

    await page.goto(new URL(`/projects/${projectId}/erasures`, page.url()).href);
    await page.getByRole('button', { name: 'Erase an end user' }).click();
    const form = page.getByRole('dialog', { name: 'Erase an end user' });
    await axe(page);
    await form.getByLabel('Your id of the end user').fill('customer-7');
    await form.getByRole('button', { name: 'Erase' }).click();
    const receipts = page.getByRole('list', { name: 'Receipts' }).getByRole('listitem');
    await expect.poll(() => receipts.count()).toBe(3);
    await receipts.filter({ hasText: 'An end user' }).getByText('0 messages erased').waitFor();
    const first = receipts.filter({ hasText: '1 message of a session' });
    await first.getByText('Done').waitFor({ timeout: 60_000 });
    await first.getByText(/^[\da-f]{64}$/).waitFor();
  },
);
