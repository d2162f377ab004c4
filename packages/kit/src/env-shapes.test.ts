import { expect, test } from 'vitest';
import type * as z from 'zod';
import { databaseUrl, logLevel, mediaUrl, port } from './env-shapes.ts';

const accepts = (shape: z.ZodType, value: unknown) => shape.safeParse(value).success;

test.each([
  'postgres://localhost/db',
  'postgresql://user:pass@db.example:5432/name?sslmode=require',
  'postgres://user:p%40ss@[::1]/db',
  'postgres://localhost/db?target_session_attrs=primary',
  'postgres://user:pass@h1:5432,h2.example:5433/db?sslmode=require&target_session_attrs=primary',
  'postgresql://h1:1,h2:2,h3:3/db?target_session_attrs=primary',
])('%s is the URL of a database', (url) => {
  expect(databaseUrl().parse(url)).toBe(url);
});

test.each([
  'localhost:5432',
  'mysql://localhost/db',
  'postgresqls://localhost/db',
  'xpostgres://localhost/db',
  'http://localhost/db',
  'postgres',
  '//localhost/db',
  'postgres://h1,h2:5432/db?target_session_attrs=primary',
  'postgres://h1:5432,h2/db?target_session_attrs=primary',
  'postgres://h1:5432,/db?target_session_attrs=primary',
  '',
  7,
  null,
])('%s is no URL of a database', (url) => {
  const { error } = databaseUrl().safeParse(url);
  expect(error?.issues[0]?.message).toBe('a postgres:// URL is needed');
});

test.each([
  ['postgres://h1/db?target_session_attrs=read-write', 'only `primary` is possible'],
  ['postgres://h1:1,h2:2/db?target_session_attrs=any', 'only `primary` is possible'],
  ['postgres://h1:1,h2:2/db', '`?target_session_attrs=primary` is needed'],
])('%s could lead to a standby, and the error says what to write instead', (url, sentence) => {
  const { error } = databaseUrl().safeParse(url);
  expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining(sentence)]);
});

test.each([
  'ws://127.0.0.1:7880',
  'wss://media.example.org',
  'http://127.0.0.1:7880',
  'https://media.example.org/path',
])('%s is the URL of a media server', (url) => {
  expect(mediaUrl().parse(url)).toBe(url);
});

test.each(['media.example.org', 'wsx://a', 'ftp://a', 'javascript:alert(1)', 'file:///etc', ''])(
  '%s is no URL of a media server',
  (url) => {
    const { error } = mediaUrl().safeParse(url);
    expect(error?.issues[0]?.message).toBe('a ws://, wss://, http:// or https:// URL is needed');
  },
);

test.each([
  ['0', 0],
  ['1', 1],
  ['3000', 3000],
  ['65535', 65_535],
])('the port %s is the number %i', (text, number) => {
  expect(port().parse(text)).toBe(number);
});

test.each(['65536', '-1', '1.5', '80a', 'http', 'NaN', 'Infinity', '1,000', '８０'])(
  '%s is no port',
  (text) => {
    expect(accepts(port(), text)).toBe(false);
  },
);

test('a level is one of five words in lower case', () => {
  for (const level of ['debug', 'info', 'warn', 'error', 'silent']) {
    expect(logLevel().parse(level)).toBe(level);
  }
  for (const level of ['INFO', 'trace', 'fatal', 'verbose', '', ' info', 1, null]) {
    expect(accepts(logLevel(), level)).toBe(false);
  }
});
