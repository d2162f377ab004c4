import { v7 as uuidv7 } from 'uuid';
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

test('404 for an agent of another project as for none, so that ids cannot be probed', async ({
  api,
  ana,
}) => {
  const eve = await api.createUser('eve');
  const problems = [];
  for (const id of [await insertAgent(api, ana, 0), uuidv7()]) {
    const { requestId: _id, ...problem } = (await api.inject(eve, { url: `/agents/${id}` })).json();
    problems.push(problem);
  }
  expect(problems[0]).toMatchObject({ status: 404, code: 'not_found' });
  expect(problems[1]).toEqual(problems[0]);
});
