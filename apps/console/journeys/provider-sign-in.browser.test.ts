import { freePort } from '@session/testing';
import { startTestProvider } from '@session/testing/identity-provider';
import { expect } from 'vitest';
import { journey as plainJourney } from '../testing/journey.ts';
import { startOwnStack } from '../testing/own-stack.ts';

/** A separate stack whose people sign in only with a real provider. */
const journey = plainJourney.extend(
  'company',
  { scope: 'file' },
  async ({ environment }, { onCleanup }) => {
    const port = await freePort('127.0.0.1');
    const consoleUrl = `http://127.0.0.1:${port}`;
    const stack = new AsyncDisposableStack();
    onCleanup(() => stack.disposeAsync());
    const provider = stack.use(await startTestProvider({ consoleUrl }));
    const ada = { email: 'ada@company.example', email_verified: true, name: 'Ada Park' };
    provider.people.set('ada', ada);
    provider.people.set('eve', { email: 'eve@company.example', email_verified: false });
    const variables = { ...provider.env, OIDC_ONLY: 'true', CONSOLE_PORT: String(port) };
    const own = stack.use(await startOwnStack({ ...environment, ...variables }));
    const foreign = new RegExp(`^foreign: ${provider.issuer}`);
    return { consoleUrl, faults: [own.requests, foreign] };
  },
);

journey(
  'a person signs in with the provider of the company, and goes on to the page that was wanted',
  async ({ company, open, axe, expectFault }) => {
    for (const fault of company.faults) expectFault(fault);
    const page = await open('/?all=true', { baseURL: company.consoleUrl });
    const button = page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1/ });
    await button.waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
    await axe(page);
    await button.click();
    await page.getByLabel('Name').fill('ada');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await page.getByRole('button', { name: 'Ada Park' }).waitFor();
    expect(page.url()).toBe(`${company.consoleUrl}/?all=true`);
    expect(
      await page.evaluate(() => sessionStorage.getItem('session.provider-sign-in')),
    ).toBeNull();
  },
);

journey(
  'whom the provider does not sign in, or without a verified address, reads why, and gets back',
  async ({ company, open, axe, expectFault }) => {
    for (const fault of [...company.faults, /status of 403/]) expectFault(fault);
    const page = await open('/sign-in', { baseURL: company.consoleUrl });
    const begin = async () => await page.getByRole('button', { name: /^Sign in with/ }).click();
    await begin();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The identity provider has not signed you in.').waitFor();
    await expect.poll(() => page.url()).toBe(`${company.consoleUrl}/sign-in/provider`);
    await axe(page);
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await begin();
    await page.getByLabel('Name').fill('eve');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The e-mail address is not verified').waitFor();
    // The provider sent a code in the address.
    await expect.poll(() => page.url()).toBe(`${company.consoleUrl}/sign-in/provider`);
    await page.reload();
    await page.getByText('This sign-in was begun in another tab').waitFor();
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await page.getByRole('button', { name: /^Sign in with/ }).waitFor();
  },
);
