import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('an agent does not load the library that makes tokens and asks the media server', async () => {
  const entries = ['index.ts', 'conversation/index.ts'];
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name === 'livekit-server-sdk') throw new Error(name);
      return next(name, context);
    } });
    for (const entry of ${JSON.stringify(entries)}) {
      await import(${JSON.stringify(import.meta.dirname + path.sep)} + entry);
    }
    console.log('loaded');
    process.exit();`;
  const args = ['--conditions=@source', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout.trim()).toBe('loaded');
});
