import { expect, test } from 'vitest';
import { makePages } from '../testing/console.ts';
import { loadConfig } from './config.ts';
import { checkPages } from './pages.ts';

const apiUrl = { CONSOLE_API_URL: 'https://api.example/v1/' };

test('without other variables: the pages beside the program, at port 3000 of this machine alone', () => {
  expect(loadConfig(apiUrl)).toEqual({
    apiUrl: 'https://api.example/v1',
    mediaUrls: [],
    pagesFolder: expect.stringMatching(/console\/dist\/web$/),
    host: '127.0.0.1',
    port: 3000,
    logLevel: 'info',
  });
});

test.each([
  [{}, 'CONSOLE_API_URL is not set: the address of the API for browsers is needed'],
  ...['api', '//api.example', '/a b', 'ws://a', 'https://u:p@a', 'https://a/?b', 'https://a;b'].map(
    (url): [NodeJS.ProcessEnv, string] => [
      { CONSOLE_API_URL: url },
      'CONSOLE_API_URL is not valid',
    ],
  ),
  [{ ...apiUrl, CONSOLE_MEDIA_URLS: 'wss://a, b' }, 'CONSOLE_MEDIA_URLS is not valid'],
  [{ ...apiUrl, CONSOLE_MEDIA_URLS: "wss://a; script-src 'none'" }, 'CONSOLE_MEDIA_URLS'],
  [{ ...apiUrl, CONSOLE_MEDIA_URLS: 'wss://a;b' }, 'CONSOLE_MEDIA_URLS'],
  [{ ...apiUrl, PORT: '70000' }, 'PORT is not valid'],
])('%o stops the start', (env, sentence) => {
  expect(() => loadConfig(env)).toThrow(sentence);
});

test('a folder without pages stops the start, and the error says how to build them', async () => {
  const folder = await makePages({ 'assets/a.js': '' });
  for (const missing of [folder, `${folder}/none`, `${folder}/assets/a.js`]) {
    await expect(checkPages(missing)).rejects.toThrow(
      `There are no pages in ${missing}: build them`,
    );
  }
});
