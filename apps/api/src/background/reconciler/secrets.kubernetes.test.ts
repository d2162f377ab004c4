import { createTestNamespace } from '@session/k8s/testing';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';
import { envOf } from '../../../testing/pods.ts';
import {
  commandLinesOf,
  createSecrets,
  keepLog,
  leaksIn,
  readAnswers,
  readTables,
} from '../../../testing/secrets.ts';

test('no key of a template, no token and no secret of the media server is in any pod, event, response, log or row', async () => {
  await using namespace = await createTestNamespace();
  await using database = await createTestDatabase();
  const { logStream, read } = keepLog();
  const { admin, name } = namespace;
  const said: string[] = [];
  {
    await using agents = await openTestAgents({
      databaseUrl: database.url,
      logStream,
      env: { ...envOf(namespace), AGENT_MEDIA_CREDENTIALS: 'keys' },
    });
    const ids = await createSecrets(agents);
    await agents.open();
    const { id } = await agents.start('echo-agent', ids.sessionId);
    await agents.until(id, 'Running');
    const { items } = await admin.listNamespacedPod({ namespace: name });
    expect(items).toHaveLength(1);
    said.push(JSON.stringify(items), await readTables(database.url));
    said.push(...(await commandLinesOf(id)));
    await agents.stop(id);
    await agents.until(id, 'Stopped');
    said.push(...(await readAnswers(agents, { ...ids, agentId: id })));
  }
  const events = await admin.listNamespacedEvent({ namespace: name });
  said.push(JSON.stringify(events), await readTables(database.url), await read());
  expect(leaksIn(said)).toEqual([]);
});
