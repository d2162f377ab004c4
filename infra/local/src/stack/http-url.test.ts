import { expect, test } from 'vitest';
import { browserUrl, httpUrl } from './http-url.ts';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:1', 'http://127.0.0.1:1'],
  ['0.0.0.0', 'http://0.0.0.0:1', 'http://127.0.0.1:1'],
  ['::1', 'http://[::1]:1', 'http://[::1]:1'],
  ['::', 'http://[::]:1', 'http://[::1]:1'],
  ['localhost', 'http://localhost:1', 'http://localhost:1'],
])('a server at %s has the URL %s, and for a browser %s', (host, url, forBrowsers) => {
  expect([httpUrl(host, 1), browserUrl(host, 1)]).toEqual([url, forBrowsers]);
});
