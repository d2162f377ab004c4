import { expect, test } from 'vitest';
import { startContainer } from '../../testing/images/container.ts';
import { confined, HOG, PROBE, ProbeReport } from '../../testing/images/probe.ts';
import { testImages } from '../../testing/images/test-images.ts';

const MEMORY_BYTES = 256 * 2 ** 20;

test.each(testImages().images.map(({ name }) => name))(
  '%s runs without capabilities, within its memory, and writes to /tmp alone',
  async (name) => {
    const container = await startContainer(name, { args: ['--eval', PROBE], memory: '256m' });
    expect([await container.exit, container.output()]).toEqual([
      0,
      expect.stringMatching(/^\{.*\}\n$/),
    ]);
    const { writes, ...report } = ProbeReport.parse(JSON.parse(container.output()));
    const { writes: expected, ...others } = confined(MEMORY_BYTES);
    expect(report).toEqual(others);
    expect(writes).toMatchObject(expected);
    const folders = Object.keys(writes).filter((folder) => folder.startsWith('/app/'));
    expect(folders.map((folder) => writes[folder])).toEqual(['EROFS']);
  },
);

test('a program that takes more memory than its container may have is killed by the kernel', async () => {
  const container = await startContainer('echo-agent', { args: ['--eval', HOG], memory: '200m' });
  expect(await container.exit).toBe(137);
});
