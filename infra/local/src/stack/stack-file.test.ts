import { expect, test } from 'vitest';
import { addressTable, nextSteps, type StackFile } from './stack-file.ts';

const file: StackFile = {
  apiUrl: 'http://127.0.0.1:20001',
  metricsUrl: null,
  metricsUrls: {},
  consoleUrl: 'http://127.0.0.1:3001',
  demoUrl: 'http://127.0.0.1:3001/#demo=key',
  host: '127.0.0.1',
  takenPorts: {},
  mediaUrl: 'ws://127.0.0.1:7880',
  mediaApiKey: 'key',
  mediaApiSecret: 'hidden',
  databaseUrl: 'postgres://u:hidden@127.0.0.1:5432/d',
  speechUrl: null,
  prometheusUrl: null,
  jwtSecret: 'hidden',
  pids: {},
};

test('the console’s address with the key of the demo account is the first row, and no row has another secret', () => {
  const table = addressTable('/stack', file);
  expect(table.split('\n')[0]).toBe('  console       http://127.0.0.1:3001/#demo=key');
  expect(table).not.toContain('hidden');
});

test('a console without a demo account has its plain address', () => {
  const table = addressTable('/stack', { ...file, demoUrl: null });
  expect(table.split('\n')[0]).toBe('  console       http://127.0.0.1:3001');
});

test('a stack without a console has no row for it', () => {
  const table = addressTable('/stack', { ...file, consoleUrl: null, demoUrl: null });
  expect(table.split('\n')[0]).toBe('  API           http://127.0.0.1:20001');
});

test('a usual port that another program had is named beside the address that is used instead', () => {
  const table = addressTable('/stack', { ...file, takenPorts: { API: 3000, console: 3001 } });
  expect(table).toContain('  API           http://127.0.0.1:20001 (3000 is taken)\n');
  expect(table.split('\n')[0]).toMatch(/ \(3001 is taken\)$/);
});

test('the demo in another terminal is told the folder of a stack that has one of its own', () => {
  expect(nextSteps(file, '/stack')).toContain(' run STACK_DIR=/stack npm run demo in another');
  expect(nextSteps(file, '/my stack')).toContain(" run STACK_DIR='/my stack' npm run demo in");
  expect(nextSteps(file, "/a's")).toContain(` run STACK_DIR='/a'\\''s' npm run demo in`);
  expect(nextSteps(file, undefined)).toContain(' run npm run demo in another');
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:20001'],
  ['0.0.0.0', 'http://127.0.0.1:20001 (and at every other address of this machine)'],
  ['::', 'http://127.0.0.1:20001 (and at every other address of this machine)'],
])('at %s it says %s', (host, address) => {
  const rows = addressTable('/stack', { ...file, host }).split('\n');
  expect(rows).toContain(`  API           ${address}`);
});

test.each([
  ['postgres://u:hidden@127.0.0.1:5432/d', '127.0.0.1:5432'],
  ['postgres://h1:5432,h2:5433/d?target_session_attrs=primary', 'h1:5432,h2:5433'],
  ['postgresql://u:hid%40den@h1:1,h2:2/d?target_session_attrs=primary', 'h1:1,h2:2'],
  ['postgres://u:hidden@[::1]:5432?sslmode=require', '[::1]:5432'],
])('of the database %s the table has the hosts alone', (databaseUrl, hosts) => {
  const rows = addressTable('/stack', { ...file, databaseUrl }).split('\n');
  expect(rows).toContain(`  database      ${hosts}`);
});
