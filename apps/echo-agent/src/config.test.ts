import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const room = { MEDIA_URL: 'ws://127.0.0.1:7880', MEDIA_TOKEN: 't', MEDIA_ROOM: 'r' };

test('the mode of echoing is read, and variables of other agents are ignored', () => {
  const config = loadConfig({ ...room, STT_PROVIDER: 'any', ECHO_MODE: 'both' });
  expect(config).toMatchObject({ room: { room: 'r' }, echoMode: 'both' });
  expect(loadConfig(room)).toMatchObject({ echoMode: 'text' });
  expect(loadConfig({ ...room, ECHO_MODE: '' })).toMatchObject({ echoMode: 'text' });
});

const load = () => loadConfig({ ...room, MEDIA_URL: '', ECHO_MODE: 'loud' });

test('a start is refused with the faults of room and mode, and with the exit code 78', () => {
  expect(load).toThrow(StartError);
  expect(load).toThrow(/^MEDIA_URL is not set: .+\nECHO_MODE is not valid: text, audio or both$/);
  expect(load).toThrow(expect.objectContaining({ exitCode: 78 }));
});
