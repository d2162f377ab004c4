import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Returns the lines that a process writes to its log. */
async function logOf(level: string, script: string): Promise<Record<string, unknown>[]> {
  const url = new URL('log.ts', import.meta.url).href;
  const program = `const log = (await import('${url}')).createLog('${level}'); ${script}`;
  const options = ['--conditions=@source', '--input-type=module', '-e', program];
  const { stdout } = await run(process.execPath, options);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

test('lines of JSON on stdout, from the level that is set', async () => {
  const script = `log.debug('hidden'); log.info({ port: 7 }, 'shown'); log.error('shown too');`;
  const lines = await logOf('info', script);
  expect(lines).toMatchObject([{ level: 30, port: 7, msg: 'shown' }, { level: 50 }]);
});

test('an error is logged with its code and its cause, and no token with it', async () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.${'e'.repeat(40)}.${'s'.repeat(43)}`;
  const script = `
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    log.warn({ err: new Error('at ws://host?access_token=${token}', { cause }) }, 'away');`;
  const [line] = await logOf('info', script);
  expect(JSON.stringify(line)).toContain('ECONNREFUSED');
  expect(JSON.stringify(line)).not.toContain(token);
});
