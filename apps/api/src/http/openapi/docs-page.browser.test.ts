import { launchChromium } from '@session/testing/browser';
import { expect } from 'vitest';
import { apiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

const configuredTest = test.extend('options', () => ({ env: { API_DOCS: 'true' } }));

configuredTest(
  'a browser loads the page from this host alone, shows samples, and sends a request',
  async ({ api }) => {
    const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
    await using chromium = await launchChromium();
    await using page = await chromium.browser.newPage();
    const hosts = new Set<string>();
    const errors: string[] = [];
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      const isOfIcon = message.location().url.endsWith('/favicon.ico');
      if (message.type() === 'error' && !isOfIcon) errors.push(message.text());
    });
    await page.goto(`${address}/docs#tag/operations`);
    await page.getByText('curl ').first().waitFor();
    for (const language of ['Node.js', 'Python']) {
      await page.getByRole('tab', { name: language }).first().waitFor();
    }
    await page.getByRole('button', { name: /^Test Request\s*\(get \/\)$/ }).click();
    const client = page.getByRole('dialog');
    await client.getByRole('button', { name: /^Send/ }).first().click();
    await client.getByText('"Conversation Session Service"').waitFor();
    expect(errors).toEqual([]);
    expect([...hosts]).toEqual([new URL(address).host]);
  },
);
