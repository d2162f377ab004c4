import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { permissionArguments } from './permission-arguments.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);
/** Tries everything that the program of an agent must not be able to do, and prints how each attempt ended. */
const SNOOP = `
  import { execFileSync } from 'node:child_process';
  import fs from 'node:fs';
  import { createRequire } from 'node:module';
  import net from 'node:net';
  import path from 'node:path';
  import v8 from 'node:v8';
  import { Worker } from 'node:worker_threads';
  const own = import.meta.dirname;
  const attempts = {
    ownCode: () => fs.readFileSync(import.meta.filename),
    network: () => net.connect(9, '127.0.0.1').on('error', () => {}),
    environmentOfParent: () => fs.readFileSync('/proc/' + process.ppid + '/environ'),
    ownEnvironment: () => fs.readFileSync('/proc/self/environ'),
    pathThroughProc: () => fs.readFileSync('/proc/self/cwd/' + path.relative(process.cwd(), process.env.SECRET)),
    secret: () => fs.readFileSync(process.env.SECRET),
    relativeSecret: () => fs.readFileSync(own + '/../../../.env'),
    secretAsEnvFile: () => process.loadEnvFile(process.env.SECRET),
    listing: () => fs.readdirSync(path.dirname(process.env.SECRET)),
    etc: () => fs.readFileSync('/etc/passwd'),
    writing: () => fs.writeFileSync(own + '/new', ''),
    writingElsewhere: () => fs.writeFileSync(process.env.SECRET, ''),
    link: () => fs.symlinkSync('/etc', own + '/etc'),
    heapSnapshot: () => v8.writeHeapSnapshot(own + '/heap'),
    report: () => process.report.writeReport(own + '/report'),
    sqlite: () => new (createRequire(import.meta.filename)('node:sqlite').DatabaseSync)(own + '/new.db'),
    program: () => execFileSync('/bin/true'),
    worker: () => new Worker('', { eval: true, execArgv: [] }),
  };
  const answers = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      attempt();
      answers[name] = 'done';
    } catch (error) {
      answers[name] = error.code ?? error.message;
    }
  }
  console.log(JSON.stringify(answers));`;

test('an installed program is run from its source, like this process', async () => {
  const folder = await install('parrot', 'const word: string = "hello"; console.log(word);');
  expect(await runProgram(folder, 'parrot')).toBe('hello\n');
});

test.skipIf(process.platform !== 'linux')(
  'a program reads its own code and the network, but no secret; it writes no file and starts nothing',
  async () => {
    const folder = await install('snoop', SNOOP);
    const secret = path.join(folder, '../.env');
    await writeFile(secret, 'JWT_SECRET=hunter2');
    const answers = JSON.parse(await runProgram(folder, 'snoop', { SECRET: secret }));
    const { ownCode, network, sqlite, ...refused } = answers;
    expect([ownCode, network, sqlite]).toEqual(['done', 'done', 'ERR_UNKNOWN_BUILTIN_MODULE']);
    expect(new Set(Object.values(refused))).toEqual(new Set(['ERR_ACCESS_DENIED']));
    expect(Object.keys(refused).length).toBeGreaterThan(10);
    expect((await readdir(path.dirname(secret))).toSorted()).toEqual(['.env', 'apps']);
    expect(await readdir(path.join(folder, 'snoop/src'))).toEqual(['main.ts']);
  },
);

test('a program that sets a flag of V8, by which it could write any file, is ended, and the file is not there', async () => {
  const source = `
    import v8 from 'node:v8';
    v8.setFlagsFromString('--logfile=' + process.env.FILE);
    v8.setFlagsFromString('--log');
    new Function('return 1')();
    console.log('set');`;
  const folder = await install('flags', source);
  const file = path.join(folder, 'v8.log');
  const { file: node, args } = findProgram(folder, 'flags') ?? { file: '', args: [] };
  const ended: unknown = await run(node, [...args], { env: { FILE: file } }).catch(
    (error) => error,
  );
  expect(ended).toMatchObject({ stdout: '', signal: expect.any(String) });
  expect(await readdir(folder)).toEqual(['flags']);
});

test('a program that gets SIGUSR1 while it starts opens no debugger', async () => {
  const source = `
    process.kill(process.pid, 'SIGUSR1');
    setTimeout(() => console.log('runs'), 1000);`;
  const folder = await install('signal', source);
  // The permission model of this Node refuses the debugger too, so the test checks the flag itself.
  expect(findProgram(folder, 'signal')?.args).toContain('--disable-sigusr1');
  // `runProgram` fails if Node reports a debugger.
  expect(await runProgram(folder, 'signal')).toBe('runs\n');
});

test.each(['parrot', 'agents', '', '..', 'constructor'])(
  'a program called “%s” is not installed',
  (program) => {
    expect(findProgram(import.meta.dirname, program)).toBeUndefined();
  },
);

test('flags that this Node does not know are left out, because it would refuse to start', () => {
  const known = new Set(['--allow-net']);
  expect(permissionArguments(['/code'], known)).toEqual(
    expect.arrayContaining(['--permission', '--allow-net', '--allow-fs-read=/code']),
  );
  expect(permissionArguments([], new Set()).filter((flag) => /net|sqlite/.test(flag))).toEqual([]);
});

/** Installs a program below a new folder of apps, and returns that folder. */
async function install(program: string, source: string): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'checkout-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = path.join(root, 'apps');
  await mkdir(path.join(folder, program, 'src'), { recursive: true });
  await writeFile(path.join(folder, program, 'src/main.ts'), source);
  return folder;
}

async function runProgram(
  folder: string,
  program: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { file, args } = findProgram(folder, program) ?? { file: '', args: [] };
  const { stdout, stderr } = await run(file, [...args], { env });
  expect(stderr).toBe('');
  return stdout;
}
