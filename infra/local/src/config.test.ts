import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const server = { MEDIA_URL: 'wss://media.example', MEDIA_API_KEY: 'k', MEDIA_API_SECRET: 's' };

test('without variables: a folder in the checkout, port 3000, one recorder, parts of its own', () => {
  expect(loadConfig({}, '/checkout')).toEqual({
    folder: '/checkout/.local',
    host: '127.0.0.1',
    port: 3000,
    logLevel: 'info',
    recorders: 1,
    speech: undefined,
    databaseUrl: undefined,
    media: undefined,
    jwtSecret: undefined,
    encryptionKey: undefined,
  });
});

test('a media server is used when its URL is set; keys alone are not enough to know one', () => {
  const { MEDIA_URL: url, ...keys } = server;
  expect(loadConfig(server, '/').media).toEqual({ url, apiKey: 'k', apiSecret: 's' });
  expect(loadConfig(keys, '/').media).toBeUndefined();
});

test.each([
  [{ PORT: '70000' }, 'PORT is not valid'],
  [{ RECORDERS: '0' }, 'RECORDERS is not valid: a whole number from 1 to 9'],
  [{ SPEECH: 'remote' }, 'SPEECH is not valid: local, or nothing'],
  [{ DATABASE_URL: 'mysql://localhost' }, 'DATABASE_URL is not valid: a postgres:// URL is needed'],
  [{ MEDIA_URL: server.MEDIA_URL }, /MEDIA_API_KEY is not set: .*\nMEDIA_API_SECRET is not set: /],
  [{ ...server, MEDIA_URL: 'media.example' }, 'MEDIA_URL is not valid: a ws://'],
])('%o stops the start', (env, sentence) => {
  expect(() => loadConfig(env, '/')).toThrow(sentence);
});

test('the faults of API and recorder are reported together with those of the stack, one line for each variable', () => {
  const env = { PORT: 'x', JWT_SECRET: 'short', AGENT_LAUNCHER: 'x', RECORDER_CAPACITY: '0' };
  const faults = Object.keys(env).map((name) => expect.stringMatching(`^${name} is not valid: `));
  expect(linesOf(env)).toEqual(expect.arrayContaining(faults));
  expect(linesOf(env)).toHaveLength(faults.length);
});

function linesOf(env: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(env, '/');
    return [];
  } catch (error) {
    return Error.prototype.toString.call(error).replace('StartError: ', '').split('\n');
  }
}
