import { expect } from 'vitest';
import { apiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

const configuredTest = test.extend('options', () => ({ env: { API_DOCS: 'true' } }));

configuredTest(
  'with API_DOCS the whole page is served without a token, and a browser loads nothing from other hosts',
  async ({ api }) => {
    const { body: root } = await api.app.inject({ url: '/' });
    expect(JSON.parse(root)).toMatchObject({ documentation: '/docs' });
    const page = await api.app.inject({ url: '/docs/' });
    expect([page.statusCode, page.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const parts = Array.from(
      page.body.matchAll(/(?:src|href)="([^"]+)"/g),
      ([, part]) => part ?? '',
    );
    expect(parts).toEqual(['js/scalar.js']);
    for (const part of [...parts, 'openapi.json']) {
      const { pathname, host } = new URL(part, 'http://our.example/docs/');
      const { statusCode } = await api.app.inject({ url: pathname });
      expect([part, host, statusCode]).toEqual([part, 'our.example', 200]);
    }
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[^ ]+'; /,
    );
    expect((await api.app.inject({ url: '/docs/nowhere' })).statusCode).toBe(401);
  },
);

test('without API_DOCS there is no page', async ({ api }) => {
  expect(api.routes.filter(({ url }) => /docs|openapi/.test(url))).toEqual([]);
  expect((await api.app.inject({ url: '/' })).json()).toMatchObject({ documentation: null });
});
