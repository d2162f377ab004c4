import { ApiError, type Client } from '@session/client';
import { expect, test } from 'vitest';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import { signUp } from '../demo/sign-up.ts';

/** Open files for 140 rooms of the recorder: 16 each, and 64. */
const WITH_140_ROOMS = ['sh', '-c', 'ulimit -n 2304 && exec "$@"', 'sh'];

test('an account that makes 170 projects with a session each gets 50 and 100 in all, and a newcomer is recorded', {
  timeout: 400_000,
}, async () => {
  const run = startTestStack(await makeStackFolder('greedy'), { RECORDERS: '1' }, WITH_140_ROOMS);
  const { apiUrl } = await run.up();
  const { client: eve } = await signUp(apiUrl, 'Eve');
  const { id: first } = await eve.projects.create({ name: 'First' });
  const outcomes: string[] = [];
  const attack = async () => {
    const projectId = await idOrCode(eve.projects.create({ name: 'Mine' }));
    const isRefused = projectId === 'project_capacity';
    const id = await idOrCode(eve.sessions.create(isRefused ? first : projectId, { name: 'Mine' }));
    outcomes.push(isRefused ? 'no project' : 'project', id === 'session_capacity' ? id : 'session');
  };
  for (let made = 0; made < 170; made += 10) {
    await Promise.all(Array.from({ length: 10 }, attack));
  }
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  expect([count('project'), count('no project')]).toEqual([49, 121]);
  expect([count('session'), count('session_capacity')]).toEqual([100, 70]);

  const { client: ben } = await signUp(apiUrl, 'Ben');
  const sessionId = await firstSession(ben);
  await until(async () => (await ben.sessions.get(sessionId)).recording.status === 'recording');
  const { sessions } = await eve.monitoring.stats();
  expect(sessions.active).toBe(100);
});

/** Returns the id of what is created, or the code of the refusal. */
async function idOrCode(creation: Promise<{ readonly id: string }>): Promise<string> {
  try {
    return (await creation).id;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

async function firstSession(client: Client): Promise<string> {
  const { id } = await client.projects.create({ name: 'First' });
  return (await client.sessions.create(id, { name: 'First' })).id;
}
