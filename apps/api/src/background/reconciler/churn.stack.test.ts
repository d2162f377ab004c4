import { readdir } from 'node:fs/promises';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';
import { startApiPair } from '../../../testing/api-pair.ts';
import { CHURN_TIMEOUT_MS, churn, closing, killing, stopping } from '../../../testing/churn.ts';

test.skipIf(process.platform !== 'linux')(
  'agents come and go while APIs are killed and stopped: each ends with a true reason, and nothing of them is left',
  async () => {
    await using database = await createTestDatabase();
    await using agents = await openTestAgents({ databaseUrl: database.url });
    {
      await using apis = await startApiPair(database.url, agents.folder);
      const ends = [stopping(agents), closing(agents), killing];
      const kill = async () => {
        await apis.replace('SIGKILL');
        return 'lost' as const;
      };
      const terminate = async () => {
        await apis.replace('SIGTERM');
        return 'evicted' as const;
      };
      const { untrue, pids } = await churn({ agents, ends, faults: [kill, terminate] });
      expect(untrue).toEqual([]);
      await expect.poll(pids).toEqual([]);
    }
    const records = (await readdir(agents.folder)).filter((name) => name.endsWith('.json'));
    expect(records).toEqual([]);
  },
  CHURN_TIMEOUT_MS,
);
