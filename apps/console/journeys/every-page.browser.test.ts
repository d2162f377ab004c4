import { expect } from 'vitest';
import { journey } from '../testing/journey.ts';

const signedOut = ['/sign-in', '/sign-up', '/nowhere'];

journey.for(signedOut)(
  '%s without a token has a heading and no fault',
  async (address, { open }) => {
    const page = await open(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
  },
);

journey('a page of a user leads to the form when nobody is signed in', async ({ open }) => {
  const page = await open('/');
  await page.waitForURL('**/sign-in?*');
  expect(new URL(page.url()).searchParams.get('from')).toBe('/');
});
