import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { makeRoomName } from '../testing/rooms.ts';
import { userToken } from './server/tokens.ts';

test('a program in a room logs nothing of LiveKit’s, and ends by itself', async () => {
  const server = testMedia();
  const { token } = await userToken(server, { room: makeRoomName(), userId: 'u', name: 'U' });
  const script = `
    import { disposeSdk, joinRoom, quietSdk } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    quietSdk();
    // The native half logs once that it has started.
    let logs = 0;
    globalThis._ffiClientInstance.on('ffi_event', ({ message }) => {
      if (message.case === 'logs') logs += message.value.records.length;
    });
    const room = await joinRoom(${JSON.stringify({ url: server.url, token })});
    await room.say('hello');
    await room.leave();
    await disposeSdk();
    console.log('all but silent: ' + (logs <= 1));
  `;
  const args = ['--conditions=@source', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [exit, stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    buffer(child.stdout),
    buffer(child.stderr),
  ]);
  expect([exit, String(stdout), String(stderr)]).toEqual([[0, null], 'all but silent: true\n', '']);
});
