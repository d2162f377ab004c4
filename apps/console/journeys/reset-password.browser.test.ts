import { fillPasswordLink } from '@session/testing/browser';
import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

journey(
  'a link to a forgotten password sets a new one, signs in, and counts once',
  async ({ ada, stack, open, axe, expectFault }) => {
    expectFault(/status of 40[04]/);
    const address = `/reset-password#${await fillPasswordLink(stack.databaseUrl, ada.id)}`;
    const page = await open(address, { width: 320 });
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    expect(await overflows(page)).toEqual([]);
    await axe(page);
    await page.reload();
    await page.getByLabel('New password').fill('battery staple');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText(/^The password of .+ is changed\.$/).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    const account = { email: ada.email, password: 'battery staple' };
    expect((await ada.client.auth.logIn(account)).user.id).toBe(ada.id);

    const again = await open(address, { theme: 'dark' });
    await again.getByLabel('New password').fill('another staple');
    await again.getByRole('button', { name: 'Set the password' }).click();
    await again.getByRole('heading', { name: 'This link is not valid' }).waitFor();
  },
);
