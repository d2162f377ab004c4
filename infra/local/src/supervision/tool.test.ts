import { expect, test } from 'vitest';
import { run } from './tool.ts';

test('one that is stopped while it is still being noted fails for its caller, and for nobody else', async () => {
  const stop = new AbortController();
  const noted = Promise.withResolvers<void>();
  const onSpawn = async () => {
    stop.abort();
    // Long enough for what nobody waits for to be told to the whole process.
    setImmediate(() => noted.resolve());
    await noted.promise;
  };
  const work = run('sleep', ['60'], { stop: stop.signal, onSpawn });
  await expect(work).rejects.toMatchObject({ name: 'AbortError' });
});
