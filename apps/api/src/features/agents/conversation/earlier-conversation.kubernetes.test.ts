import { expect, test } from 'vitest';
import { namesOfSecretsWith, openPods, podsIn } from '../../../../testing/pods.ts';
import { keepLog } from '../../../../testing/secrets.ts';

const WORDS = 'what only the agent may know';

test('what was said before is in the secret of an agent’s pod alone: in no pod, no event and no log', async () => {
  const { logStream, read } = keepLog();
  const said: unknown[] = [];
  {
    await using pods = await openPods({ logStream });
    const { agents, namespace } = pods;
    const { api, ana } = agents;
    const projectId = await api.createProject(ana);
    const sessionId = await api.createSession(ana, projectId);
    const post = async (url: string, payload: object) =>
      (await api.inject(ana, { method: 'POST', url, payload })).json();
    const variables = { LLM_API_KEY: 'rehearsal' };
    await post(`/projects/${projectId}/env-templates`, { name: 'model', variables });
    await post(`/sessions/${sessionId}/messages`, { content: WORDS });
    await agents.open();
    const { id } = await post(`/sessions/${sessionId}/agents`, { role: 'light-agent' });
    await agents.until(id, 'Running');
    const items = await podsIn(namespace);
    expect(await namesOfSecretsWith(namespace, WORDS)).toEqual([items[0]?.metadata?.name]);
    await agents.stop(id);
    await agents.until(id, 'Stopped');
    const { name, admin } = namespace;
    said.push(items, await admin.listNamespacedEvent({ namespace: name }), await agents.logs(id));
  }
  said.push(await read());
  expect(JSON.stringify(said)).toContain('agent started');
  expect(JSON.stringify(said)).not.toContain(WORDS);
}, 120_000);
