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
  expect(readProcessConfig(env)).toEqual({ folder });
});
