import { readFile } from 'node:fs/promises';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';
import {
  commandLinesOf,
  createSecrets,
  keepLog,
  leaksIn,
  readAnswers,
  readTables,
} from '../../../testing/secrets.ts';

/** Prints its environment, and fails with a message that contains it. */
const printsSecrets = `
  console.log(JSON.stringify(process.env));
  throw new Error(Object.values(process.env).join());`;

test.skipIf(process.platform !== 'linux')(
  'no key of a template, no token and no secret of the media server is in any response, log, row or command line',
  async () => {
    await using database = await createTestDatabase();
    const { logStream, read } = keepLog();
    const said: string[] = [];
    {
      await using agents = await openTestAgents({
        databaseUrl: database.url,
        logStream,
        env: { AGENT_MEDIA_CREDENTIALS: 'keys' },
        programs: { 'light-agent': printsSecrets },
      });
      const ids = await createSecrets(agents);
      await agents.open();
      const echo = await agents.start('echo-agent', ids.sessionId);
      await agents.until(echo.id, 'Running');
      const commandLines = await commandLinesOf(echo.id);
      expect(commandLines.join()).toContain('--permission');
      said.push(await readTables(database.url), ...commandLines);
      const other = await agents.start('light-agent', ids.sessionId);
      expect(await agents.until(other.id, 'Stopped')).toMatchObject({ reason: 'crashed' });
      await agents.stop(echo.id);
      await agents.until(echo.id, 'Stopped');
      for (const { id } of [echo, other]) {
        said.push(...(await readAnswers(agents, { ...ids, agentId: id })));
      }
    }
    said.push(await readTables(database.url), await read());
    // The searched texts do contain the places where a secret would be.
    expect(said.join()).toContain('"LLM_API_KEY\\":\\"••••\\"');
    expect(said.at(-1)).toContain('agent started');
    expect(leaksIn(said)).toEqual([]);
  },
);

test.skipIf(process.platform !== 'linux').each([
  ['token', []],
  ['keys', ['MEDIA_API_KEY', 'MEDIA_API_SECRET']],
])(
  'with AGENT_MEDIA_CREDENTIALS=%s an agent has its token, and these keys of the media server: %j',
  async (credentials, names) => {
    await using agents = await openTestAgents({ env: { AGENT_MEDIA_CREDENTIALS: credentials } });
    await agents.open();
    const { id } = await agents.start();
    await agents.until(id, 'Running');
    const environment = await readFile(`/proc/${await agents.pidOf(id)}/environ`, 'utf8');
    const given = environment.split('\0').map((entry) => entry.split('=')[0] ?? '');
    expect(given).toContain('MEDIA_TOKEN');
    expect(given.filter((name) => name.startsWith('MEDIA_API_'))).toEqual(names);
  },
);
