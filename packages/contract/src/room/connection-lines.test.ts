import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { connectionLines } from './connection-lines.ts';

const texts = ["it's", 'a "b" c', '$HOME $(id) `id`', 'C:\\new\\\\dir', 'two\nlines', '\\"', '# ä'];
const given = {
  MEDIA_URL: 'wss://media.example.org',
  MEDIA_TOKEN: 'eyJhbGciOiJIUzI1NiJ9.e30.x-_',
  expiresAt: '2026-11-21T08:10:00.000Z',
  PLAN: JSON.stringify({ texts }),
  CONVERSATION: JSON.stringify(texts),
  INSTRUCTIONS: 'Say "hello" # politely.\nYou don\'t swear.',
};

/** Returns what a reader of the file found under a name. */
type Read = (name: string) => string | undefined;

const read: [string, (text: string) => Read][] = [
  ['Node', (text) => (name) => parseEnv(text)[name]],
  [
    'a shell',
    (text) => {
      const file = path.join(mkdtempSync(path.join(tmpdir(), 'lines-')), '.env');
      writeFileSync(file, text);
      const script = `set -a; . ${file}; eval "printf %s \\"\\$$1\\""`;
      return (name) =>
        execFileSync('sh', ['-c', script, 'sh', name], { env: {}, encoding: 'utf8' });
    },
  ],
];

function meant(name: string, value = ''): unknown {
  return ['PLAN', 'CONVERSATION'].includes(name) ? JSON.parse(value) : value.replaceAll("'", '’');
}

test.each(read)('%s reads the lines as they are meant', (_, open) => {
  const readBack = open(connectionLines(given));
  const { expiresAt, ...rest } = given;
  const variables: Readonly<Record<string, string>> = rest;
  expect(readBack('expiresAt') ?? '').toBe('');
  const names = Object.keys(variables);
  expect(names.map((name) => meant(name, readBack(name)))).toEqual(
    names.map((name) => meant(name, variables[name])),
  );
  expect(connectionLines(given)).toContain(`until ${expiresAt}`);
});

test('no value of the JSON holds what a library would take for an escape or a variable', () => {
  const json = /^PLAN='(.*)'$/m.exec(connectionLines(given))?.[1] ?? '';
  expect(json).not.toMatch(/['$]|\\\\/);
});
