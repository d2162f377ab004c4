import { expect } from 'vitest';
import { insertAgent, stop } from '../../../testing/agent-log.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the agent as it stands now', async ({ api, ana }) => {
  const id = await insertAgent(api, ana, 0);
  const read = async () => (await api.inject(ana, { url: `/agents/${id}` })).json();
  expect(await read()).toMatchObject({ id, role: 'echo-agent', status: 'Starting', reason: null });
  await stop(api, id);
  expect(await read()).toMatchObject({ status: 'Stopped', reason: 'crashed', exitCode: 1 });
});
