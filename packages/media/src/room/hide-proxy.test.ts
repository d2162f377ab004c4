import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { makeRoomName } from '../../testing/rooms.ts';
import { userToken } from '../server/tokens.ts';
import { hideProxy } from './hide-proxy.ts';

const PROXIES = {
  HTTP_PROXY: 'http://proxy:1',
  http_proxy: 'http://proxy:2',
  HTTPS_PROXY: 'http://proxy:3',
  https_proxy: 'http://proxy:4',
  ALL_PROXY: 'http://proxy:5',
};

test.for([
  ['ws://localhost:7880', ''],
  ['ws://127.0.0.1:7880', ''],
  ['ws://127.8.0.1', ''],
  ['ws://[::1]:7880', ''],
  ['http://LOCALHOST:7880', 'example.com'],
  ['ws://livekit:7880', 'api, LiveKit'],
  ['ws://livekit:7880', 'api livekit'],
  ['ws://livekit:7880', 'livekit:7880'],
  ['ws://livekit:7880', '*'],
  ['ws://livekit.media.svc:7880', '.svc'],
  ['ws://livekit.media.svc:7880', '*.media.svc'],
  ['ws://livekit.media.svc:7880', 'media.svc'],
  ['ws://10.20.1.2:7880', '10.20.1.2'],
  ['ws://10.20.1.2:7880', '10.20.0.0/16'],
  ['ws://[fd00::2]:7880', '[fd00::2]:7880'],
  ['ws://[fd00::2]:7880', 'fd00::2'],
  ['ws://[fd00::2]:7880', 'fd00::/8'],
] as const)('%s is reached without a proxy when NO_PROXY is "%s"', ([url, hosts]) => {
  const { HTTPS_PROXY, https_proxy, ALL_PROXY } = PROXIES;
  for (const bypass of [{ NO_PROXY: hosts }, { no_proxy: hosts }]) {
    const env = { ...PROXIES, ...bypass };
    hideProxy(url, env);
    expect(env).toEqual({ HTTPS_PROXY, https_proxy, ALL_PROXY, ...bypass });
  }
});

test('wss:// is reached without the proxy for TLS, and keeps the other one', () => {
  const { HTTP_PROXY, http_proxy, ALL_PROXY } = PROXIES;
  for (const url of ['wss://localhost:7443', 'https://localhost:7443']) {
    const env = { ...PROXIES };
    hideProxy(url, env);
    expect(env).toEqual({ HTTP_PROXY, http_proxy, ALL_PROXY });
  }
});

test.for([
  ['ws://media.example.com', ''],
  ['wss://media.example.com', 'localhost,127.0.0.1'],
  ['ws://notexample.com', 'example.com,.example.com'],
  ['ws://127.0.0.1.example.com', ''],
  ['ws://livekit:7880', 'livekit:7881'],
  ['ws://livekit:7880', ' , ,.,:7880'],
  ['ws://livekit:7880', '0.0.0.0/0'],
  ['ws://10.21.1.2:7880', '10.20.0.0/16,10.21.0.0/99,10.21.0.0/,1.2'],
  ['ws://10.21.1.2:7880', 'fd00::/8'],
  ['ws://[fd00::2]:7880', '0.0.0.0/0,fd00:'],
] as const)('%s is reached through the proxy when NO_PROXY is "%s"', ([url, NO_PROXY]) => {
  const env = { ...PROXIES, NO_PROXY };
  hideProxy(url, env);
  expect(env).toEqual({ ...PROXIES, NO_PROXY });
});

test('a program joins a room on this machine although HTTP_PROXY names a proxy', async () => {
  const server = testMedia();
  const { token } = await userToken(server, { room: makeRoomName(), userId: 'u', name: 'U' });
  const script = `
    import { disposeSdk, joinRoom } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)};
    const room = await joinRoom(${JSON.stringify({ url: server.url, token })});
    await room.leave();
    await disposeSdk();
  `;
  const args = ['--conditions=@source', '--input-type=module', '--eval', script];
  const proxies = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' };
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...proxies },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [exit, stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  expect([exit, stderr]).toEqual([[0, null], '']);
});
