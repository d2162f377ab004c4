import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { makeStackFolder, type StackRun, startTestStack } from '../testing/stack.ts';
import { explainError } from './explain-error.ts';
import { preparePostgres } from './postgres/server.ts';

// Enough for the stack's first files.
const MOUNT = 'mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"';

test('an address of another machine stops the start', async () => {
  const run = startTestStack(await makeStackFolder('address'), { HOST: '192.0.2.1' });
  expect(await failureOf(run)).toMatch(
    /^HOST is not an address of this machine: set it to one, such as 127\.0\.0\.1\.\n$/,
  );
});

// Nobody, not even root, can create a folder there.
test.skipIf(process.platform !== 'linux')('no permission stops the start', async () => {
  const run = startTestStack('/sys/session-stack');
  expect(await failureOf(run)).toMatch(
    /^Permission denied \(\/sys\/session-stack\): did another user create it\?.*\n$/,
  );
});

// Only root can mount a file system so small.
test.skipIf(process.getuid?.() !== 0)(
  'a full disk stops the start, and leaves nothing that runs',
  async () => {
    const folder = await makeStackFolder('full');
    const run = startTestStack(folder, {}, ['unshare', '--mount', 'sh', '-c', MOUNT, folder]);
    expect(await failureOf(run)).toMatch(/^The disk is full.*\n$/m);
    // Code 1: pgrep found no process.
    await expect(promisify(execFile)('pgrep', ['-f', folder])).rejects.toMatchObject({ code: 1 });
  },
);

test('a file where the folder should be is named', async () => {
  const error: unknown = await mkdir(path.join(import.meta.filename, 'logs')).catch((e) => e);
  expect(explainError(error)).toEqual(
    new StartError(
      `A file is in the way (${import.meta.filename}/logs): STACK_DIR must be a folder.`,
    ),
  );
});

test('data of another major version of PostgreSQL stops the start', async () => {
  const folder = await makeStackFolder('version');
  const data = path.join(folder, 'postgres/data');
  await mkdir(data, { recursive: true });
  await writeFile(path.join(data, 'PG_VERSION'), '9\n');
  const options = {
    folder: path.join(folder, 'postgres'),
    host: '127.0.0.1',
    port: 0,
    password: '',
  };
  await expect(preparePostgres(options)).rejects.toThrow(
    /was made by PostgreSQL 9, and PostgreSQL 18 cannot read it. Set STACK_DIR/,
  );
});

/** Returns the whole output of a start that ended with code 1. */
async function failureOf(run: StackRun): Promise<string> {
  const [code] = await once(run.child, 'close');
  return code === 1 ? run.output() : `code ${code}`;
}
