import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readProcessConfig } from './config.ts';

test.each<[NodeJS.ProcessEnv, string]>([
  [{}, path.join(tmpdir(), `session-agents-${process.getuid?.()}`)],
  [{ AGENT_PROCESS_DIR: '' }, path.join(tmpdir(), `session-agents-${process.getuid?.()}`)],
  [{ AGENT_PROCESS_DIR: '/var/agents' }, '/var/agents'],
  [{ AGENT_PROCESS_DIR: 'agents/../records' }, path.resolve('records')],
])('the folder of %j is absolute, and each user’s own by default', (env, folder) => {
  expect(readProcessConfig(env)).toEqual({ folder, user: undefined });
});

test('the folder of builds is absolute, and none by default', () => {
  expect(readProcessConfig({}).programsFolder).toBeUndefined();
  expect(readProcessConfig({ AGENT_PROGRAMS_DIR: 'builds' }).programsFolder).toBe(
    path.resolve('builds'),
  );
});

// Only root can start a process as another user.
test.skipIf(process.getuid?.() !== 0)(
  'agents run as the user of AGENT_PROCESS_UID, in its own group unless another is named',
  () => {
    expect(readProcessConfig({ AGENT_PROCESS_UID: '1001' }).user).toEqual({ uid: 1001, gid: 1001 });
    const both = { AGENT_PROCESS_UID: '1001', AGENT_PROCESS_GID: '100' };
    expect(readProcessConfig(both).user).toEqual({ uid: 1001, gid: 100 });
  },
);

test.skipIf(process.getuid?.() === 0)(
  'a start is refused by AGENT_PROCESS_UID without the right to set it',
  () => {
    expect(() => readProcessConfig({ AGENT_PROCESS_UID: '1001' })).toThrow(
      'only an API that runs as root can set it',
    );
  },
);

test.each(['0', '-1', '1.5', 'node'])(
  'a start is refused by AGENT_PROCESS_UID=%s',
  (AGENT_PROCESS_UID) => {
    expect(() => readProcessConfig({ AGENT_PROCESS_UID })).toThrow(
      'the id of a user other than root',
    );
  },
);

test('a start is refused by AGENT_PROCESS_GID alone, which would change nothing', () => {
  expect(() => readProcessConfig({ AGENT_PROCESS_GID: '100' })).toThrow(
    'it is used only together with AGENT_PROCESS_UID',
  );
});
