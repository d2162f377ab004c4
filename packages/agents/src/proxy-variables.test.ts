import { expect, test } from 'vitest';
import { proxyPasswords, proxyVariables } from './proxy-variables.ts';

test('the operator’s proxies are found in both spellings, and nothing else is', () => {
  const proxies = {
    HTTPS_PROXY: 'http://proxy.example:3128',
    https_proxy: 'http://proxy.example:3128',
    no_proxy: 'localhost,.example',
    ALL_PROXY: 'socks5://proxy.example:1080',
    NODE_USE_ENV_PROXY: '1',
  };
  expect(proxyVariables({ ...proxies, JWT_SECRET: 'secret', MY_PROXY: 'x' })).toEqual(proxies);
});

test.each<[string, string[]]>([
  ['http://proxy.example:3128', []],
  ['http://ada:p%40ss@proxy.example:3128', ['p%40ss', 'p@ss']],
  ['http://ada:p%ss@proxy.example:3128', ['p%ss', 'p%ss']],
  ['localhost,.example', []],
])('the address %s has the passwords %j', (HTTP_PROXY, passwords) => {
  expect(proxyPasswords({ HTTP_PROXY })).toEqual(passwords);
});
