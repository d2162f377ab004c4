import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const server = { MEDIA_URL: 'wss://media.example', MEDIA_API_KEY: 'k', MEDIA_API_SECRET: 's' };

test('without variables: a folder in the checkout, the usual ports, one recorder, parts of its own', () => {
  expect(loadConfig({}, '/checkout')).toEqual({
    folder: '/checkout/.local',
    host: '127.0.0.1',
    port: { wanted: 3000, variable: undefined },
    console: { port: { wanted: 3001, variable: undefined }, pagesFolder: undefined },
    logLevel: 'info',
    recorders: 1,
    speech: undefined,
    monitoring: undefined,
    databaseUrl: undefined,
    media: undefined,
    jwtSecret: undefined,
    encryptionKey: undefined,
  });
});

test('a port of the user’s own choice is known by its variable, also when it is the usual one', () => {
  const env = { PORT: '3000', CONSOLE_PORT: '0', CONSOLE_PAGES_DIR: 'pages' };
  const { port, console } = loadConfig(env, '/checkout');
  expect(port).toEqual({ wanted: 3000, variable: 'PORT' });
  expect(console).toEqual({
    port: { wanted: 0, variable: 'CONSOLE_PORT' },
    pagesFolder: '/checkout/pages',
  });
});

test('API and console may both have any port', () => {
  const { port, console } = loadConfig({ PORT: '0', CONSOLE_PORT: '0' }, '/');
  expect([port.wanted, console?.port.wanted]).toEqual([0, 0]);
});

test('CONSOLE=off: no console', () => {
  expect(loadConfig({ CONSOLE: 'off' }, '/').console).toBeUndefined();
});

test('a media server is used when its URL is set; keys alone are not enough to know one', () => {
  const { MEDIA_URL: url, ...keys } = server;
  expect(loadConfig(server, '/').media).toEqual({ url, apiKey: 'k', apiSecret: 's' });
  expect(loadConfig(keys, '/').media).toBeUndefined();
});

test.each([
  [{ PORT: '70000' }, 'PORT is not valid'],
  [{ CONSOLE: 'on' }, 'CONSOLE is not valid: off, or nothing'],
  [{ CONSOLE_PORT: '-1' }, 'CONSOLE_PORT is not valid'],
  [{ PORT: '7', CONSOLE_PORT: '7' }, 'CONSOLE_PORT is not valid: another port than PORT is needed'],
  [{ MONITORING: 'on' }, 'MONITORING is not valid: 1, or nothing'],
  [{ MONITORING_SPEED: '0' }, 'MONITORING_SPEED is not valid'],
  [{ RECORDERS: '0' }, 'RECORDERS is not valid: a whole number from 1 to 9'],
  [{ SPEECH: 'remote' }, 'SPEECH is not valid: local, or nothing'],
  [{ DATABASE_URL: 'mysql://localhost' }, 'DATABASE_URL is not valid: a postgres:// URL is needed'],
  [{ MEDIA_URL: server.MEDIA_URL }, /MEDIA_API_KEY is not set: .*\nMEDIA_API_SECRET is not set: /],
  [{ ...server, MEDIA_URL: 'media.example' }, 'MEDIA_URL is not valid: a ws://'],
])('%o stops the start', (env, sentence) => {
  expect(() => loadConfig(env, '/')).toThrow(sentence);
});

test('the faults of all programs are reported together with those of the stack, one line for each variable', () => {
  const env = {
    PORT: 'x',
    JWT_SECRET: 'short',
    AGENT_LAUNCHER: 'x',
    RECORDER_CAPACITY: '0',
    CONSOLE_MEDIA_URLS: 'x',
  };
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
