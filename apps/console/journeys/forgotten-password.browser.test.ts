import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';
import { overflows } from '../testing/layout.ts';

const METHODS = { passwords: true, provider: null, mail: true };

journey('without mail the form says who can help', async ({ open }) => {
  const page = await open('/sign-in', { width: 320 });
  await page.getByText('Whoever operates this service can give you a link.').waitFor();
  expect(await overflows(page)).toEqual([]);
});

journey(
  'with mail a link is asked for, and the answer tells nothing of the account',
  async ({ open, axe }) => {
    const page = await open('/sign-in', {
      before: async (opened) =>
        await opened.route(
          '**/auth/methods',
          async (route) =>
            await route.fulfill({ json: METHODS, headers: { 'access-control-allow-origin': '*' } }),
        ),
    });
    await page.getByRole('link', { name: 'Forgotten your password?' }).click();
    await axe(page);
    await page.getByLabel('E-mail').fill('nobody@example.org');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('If nobody@example.org has an account here').waitFor();
    await page.getByRole('link', { name: 'Back to signing in' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  },
);
