import { expect, test } from 'vitest';
import { run } from './tool.ts';

test('a tool that is stopped while onSpawn is running fails for its caller, and for nobody else', async () => {
  const stop = new AbortController();
  const noted = Promise.withResolvers<void>();
  const onSpawn = async () => {
    stop.abort();
    // Long enough for an unhandled rejection to reach the process.
    setImmediate(() => noted.resolve());
    await noted.promise;
  };
  const work = run('sleep', ['60'], { stop: stop.signal, onSpawn });
  await expect(work).rejects.toMatchObject({ name: 'AbortError' });
});
