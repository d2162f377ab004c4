import { expect, test } from 'vitest';
import { importKit, runProgram, startProgram } from '../testing/program.ts';

test('a program that returns ends with 0, although signals were listened for', async () => {
  const { end, stdout, stderr } = await runProgram(`${importKit}
    await kit.runMain(async (stop) => console.log(stop.aborted));`);
  expect([end, stdout, stderr]).toEqual([0, 'false\n', '']);
});

test('a StartError ends a program with 1 and its message alone', async () => {
  const { end, stdout, stderr } = await runProgram(`${importKit}
    await kit.runMain(async () => {
      throw new kit.StartError('PORT is not set: a number\\nHOST is not set: a name', {
        cause: new Error('hunter2'),
      });
    });
    console.log('after');`);
  expect([end, stdout, stderr]).toEqual([
    1,
    'after\n',
    'PORT is not set: a number\nHOST is not set: a name\n',
  ]);
});

test.each([
  ['an error', "new TypeError('a fault of ours')", 'TypeError: a fault of ours'],
  ['an AppError', "new kit.AppError('internal', 'a fault of ours')", 'AppError: a fault of ours'],
  ['a value that is no error', "'a fault of ours'", 'a fault of ours'],
])('%s ends a program with 1, and shows where it was thrown', async (_, thrown, shown) => {
  const { end, stderr } = await runProgram(`${importKit}
    await kit.runMain(async () => { throw ${thrown}; });
    console.log('not reached');`);
  expect(end).toBe(1);
  expect(stderr).toContain(shown);
  expect(stderr).toContain('Node.js v');
});

test('a failure is shown together with those of the disposals that follow it', async () => {
  const { end, stderr } = await runProgram(`${importKit}
    await kit.runMain(async () => {
      await using parts = new AsyncDisposableStack();
      parts.defer(() => { throw new Error('the second end failed'); });
      parts.defer(() => { throw new Error('the first end failed'); });
      throw new kit.StartError('no such image');
    });`);
  expect(end).toBe(1);
  const shown = ['no such image', 'the first end failed', 'the second end failed'];
  expect(stderr.match(new RegExp(shown.join('|'), 'g'))).toEqual(shown);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s asks a program to stop, and lets it finish its work',
  async (signal) => {
    await using program = startProgram(`${importKit}
      await kit.runMain(async (stop) => {
        const keepAlive = setTimeout(() => {}, 60_000);
        console.log('ready');
        await kit.aborted(stop);
        clearTimeout(keepAlive);
        console.log('stopped by', stop.reason);
      });`);
    await program.ready;
    program.child.kill(signal);
    expect(await program.ended).toEqual({
      end: 0,
      stdout: `ready\nstopped by ${signal}\n`,
      stderr: '',
    });
  },
);

test('SIGUSR1 opens no debugger', async () => {
  const { end, stdout, stderr } = await runProgram(`${importKit}
    const { url } = await import('node:inspector');
    await kit.runMain(async () => {
      process.kill(process.pid, 'SIGUSR1');
      for (let look = 0; look < 30 && url() === undefined; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      console.log(url());
    });`);
  expect([end, stdout, stderr]).toEqual([0, 'undefined\n', '']);
});

test('an error after the stop signal ends a program with 1 all the same', async () => {
  await using program = startProgram(`${importKit}
    await kit.runMain(async (stop) => {
      setTimeout(() => {}, 60_000).unref();
      const keepAlive = setInterval(() => {}, 1000);
      console.log('ready');
      await kit.aborted(stop);
      clearInterval(keepAlive);
      throw new kit.StartError('could not store the last messages');
    });`);
  await program.ready;
  program.child.kill('SIGTERM');
  const { end, stderr } = await program.ended;
  expect([end, stderr]).toEqual([1, 'could not store the last messages\n']);
});
