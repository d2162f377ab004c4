import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { CANARY } from '../../testing/images/build-context.ts';
import { filesWith, readImageFiles } from '../../testing/images/image-files.ts';
import { openImageStorage } from '../../testing/images/image-storage.ts';
import { testImages } from '../../testing/images/test-images.ts';

const MEGABYTE = 1e6;
/** How large an image may be, unpacked: 250 MB if it is not named here. The framework of the core agent takes 120 MB. */
const LARGER = new Map([
  ['api', 300],
  ['core-agent', 350],
  ['api-voice', 420],
]);
const NAMES = [
  'api',
  'api-voice',
  'recorder',
  'console',
  'echo-agent',
  'light-agent',
  'core-agent',
];
/** Files that no program reads, and programs that would help an intruder. */
const UNWANTED = [
  /\.(?:ts|mts|cts|tsx|map|tsbuildinfo)$/,
  /(?:^|\/)\.(?:env|git|npmrc|ssh|netrc)[^/]*$/,
  /^(?:usr\/)?(?:local\/)?s?bin\/(?!node$|tini$)[^/]+$/,
  /(?:^|\/)(?:sh|bash|dash|busybox|npm|npx|pnpm|corepack|apt|apt-get|dpkg|perl|python3?)$/,
];
const SET_ID = 0o6000;

const Config = z.object({
  User: z.string(),
  Entrypoint: z.array(z.string()),
  Cmd: z.array(z.string()),
  Env: z.array(z.string()),
});

test('the Dockerfile has an image for each program', () => {
  expect(
    testImages()
      .images.map(({ name }) => name)
      .toSorted(),
  ).toEqual(NAMES.toSorted());
});

test.each(NAMES)(
  '%s has its programs and their licences, and no shell, source, package manager or secret',
  async (name) => {
    const { root, entries, bytes } = await readImageFiles(tagOf(name));
    const files = entries.filter(({ mode }) => (mode & 0o170000) !== 0o040000);
    expect(files.length).toBeGreaterThan(100);
    const unwanted = files.filter(({ path: file }) => UNWANTED.some((kind) => kind.test(file)));
    expect(unwanted.map(({ path: file }) => file)).toEqual([]);
    expect(entries.filter(({ mode }) => (mode & SET_ID) !== 0)).toEqual([]);
    expect(await filesWith(CANARY, root)).toEqual([]);
    expect(bytes / MEGABYTE).toBeLessThan(LARGER.get(name) ?? 250);
    const paths = new Set(entries.map((entry) => entry.path));
    for (const file of ['node/copyright', 'session-service/NOTICE', 'tini/copyright'])
      expect(paths).toContain(`usr/share/doc/${file}`);
    expect(await readFile(path.join(root, 'etc/passwd'), 'utf8')).toContain(':1000:1000:');
  },
);

test.each(NAMES)(
  '%s runs as a numbered user, and its configuration has no secret',
  async (name) => {
    const storage = await openImageStorage(testImages().storage);
    const format = ['--format', '{{json .Config}}'];
    const text = await storage.run('podman', 'image', 'inspect', ...format, tagOf(name));
    const { User, Entrypoint, Cmd, Env } = Config.parse(JSON.parse(text));
    expect([User, Entrypoint, Cmd.at(-1)]).toEqual([
      '1000:1000',
      ['tini', '--', 'node'],
      'dist/main.js',
    ]);
    const spool = name === 'recorder' ? ['RECORDER_SPOOL_DIR'] : [];
    const names = Env.map((variable) => variable.split('=')[0] ?? '');
    expect(names.toSorted()).toEqual(['HOST', 'NODE_ENV', 'PATH', ...spool]);
  },
);

function tagOf(name: string): string {
  return testImages().images.find((image) => image.name === name)?.tag ?? name;
}
