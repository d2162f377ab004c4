import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const GOOD = {
  DATABASE_URL: 'postgres://me:secret@127.0.0.1/db',
  MEDIA_URL: 'ws://127.0.0.1:7880',
  MEDIA_API_KEY: 'key',
  MEDIA_API_SECRET: 'secret',
};

test('the four variables of the specification are enough', () => {
  const config = loadConfig(GOOD);
  expect(config).toMatchObject({ capacity: 200, internal: { host: '127.0.0.1', port: 0 } });
});

test.each([
  ['DATABASE_URL', 'mysql://127.0.0.1/db'],
  ['MEDIA_URL', 'udp://127.0.0.1:7880'],
  ['MEDIA_API_KEY', ''],
  ['MEDIA_API_SECRET', ''],
  ['METRICS_PORT', '65536'],
  ['WEBHOOK_PORT', 'any'],
  ['LOG_LEVEL', 'loud'],
  ['RECORDER_CAPACITY', '0'],
  ['RECORDER_SPOOL_MAX_MB', '0'],
  ['RECORDER_REDUNDANCY', '0'],
  ['RECORDER_MAX_RSS_MB', '63'],
  ['SENDER_MESSAGES_PER_SECOND', '-1'],
])('%s=%s is refused by its name', (name, value) => {
  expect(() => loadConfig({ ...GOOD, [name]: value })).toThrow(name);
});

test.each([
  [{}, undefined],
  [{ METRICS_PORT: '9090' }, undefined],
  [{ METRICS_PORT: '9090', WEBHOOK_PORT: '' }, undefined],
  [{ METRICS_PORT: '9090', WEBHOOK_PORT: '9090' }, undefined],
  [{ METRICS_PORT: '9090', WEBHOOK_PORT: '9092' }, 9092],
  [{ WEBHOOK_PORT: '0' }, 0],
])('with %j, webhooks have a port of their own: %s', (ports, port) => {
  expect(loadConfig({ ...GOOD, ...ports }).webhooks?.port).toBe(port);
});

test('webhooks are taken with the own key, and with the other one while an operator changes it', () => {
  const own = { apiKey: 'key', apiSecret: 'secret' };
  expect(loadConfig(GOOD).webhookKeys).toEqual([own]);
  const other = { MEDIA_API_KEY_PREVIOUS: 'old', MEDIA_API_SECRET_PREVIOUS: 'hunter2' };
  const both = [own, { apiKey: 'old', apiSecret: 'hunter2' }];
  expect(loadConfig({ ...GOOD, ...other }).webhookKeys).toEqual(both);
  for (const [name, value] of Object.entries(other)) {
    const half = () => loadConfig({ ...GOOD, [name]: value });
    expect(half).toThrow(/^MEDIA_API_(KEY|SECRET)_PREVIOUS is not set/);
    expect(half).not.toThrow(value);
  }
});

test('all faults are reported at once, and no secret with them', () => {
  const faulty = { DATABASE_URL: 'hunter2', RECORDER_CAPACITY: 'many' };
  expect(() => loadConfig(faulty)).toThrow(
    /^DATABASE_URL.*\nMEDIA_URL.*\nMEDIA_API_KEY.*\nMEDIA_API_SECRET.*\nRECORDER_CAPACITY.*$/,
  );
  expect(() => loadConfig(faulty)).not.toThrow(/hunter2/);
});
