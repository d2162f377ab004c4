import { expect, test } from 'vitest';
import { startMediaServer, testMedia } from './media-server.ts';

test('a server of a test’s own ends by kill, and comes back on its port as another process', async () => {
  await using server = await startMediaServer();
  const { pid } = server;
  await server.kill();
  await expect(answer(server.url)).rejects.toThrow('fetch failed');
  await server.start();
  expect(server.pid).not.toBe(pid);
  expect(await answer(server.url)).toBe(200);
});

test('the shared server answers', async () => {
  expect(await answer(testMedia().url)).toBe(200);
});

async function answer(url: string): Promise<number> {
  return (await fetch(url.replace('ws:', 'http:'))).status;
}
