import { randomBytes } from 'node:crypto';
import { NIL } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { updateAgentState } from './agent-changes.ts';
import {
  insertAgentSecrets,
  listAgentSecretsOfKeys,
  readAgentSecrets,
  resealAgentSecrets,
} from './agent-secrets.ts';

test('the values of the first start are kept, whatever a later start brings', async ({
  project,
}) => {
  const id = await addAgent(project);
  expect(await readAgentSecrets(project, id)).toBeUndefined();
  const [first, second] = [seal('k1'), seal('k2')];
  expect(await insertAgentSecrets(project, id, first)).toBe(true);
  expect(await insertAgentSecrets(project, id, second)).toBe(false);
  const { projectId } = project;
  expect(await readAgentSecrets(project, id)).toEqual({ id, projectId, ...first });
});

test('an agent has its values until it has stopped, and gets none afterwards', async ({
  project,
}) => {
  const [id, other] = [await addAgent(project), await addAgent(project)];
  for (const agentId of [id, other]) await insertAgentSecrets(project, agentId, seal('k1'));
  const state = { reason: null, detail: null, exitCode: null };
  await updateAgentState(project, id, { status: 'Running', ...state });
  expect(await readAgentSecrets(project, id)).toBeDefined();
  await updateAgentState(project, id, { status: 'Stopped', ...state });
  expect(await readAgentSecrets(project, id)).toBeUndefined();
  expect(await insertAgentSecrets(project, id, seal('k1'))).toBe(false);
  expect(await readAgentSecrets(project, other)).toBeDefined();
});

test('values of given keys are listed a page at a time, and sealed again unless they changed meanwhile', async ({
  project,
}) => {
  const ids = [await addAgent(project), await addAgent(project), await addAgent(project)];
  const [former, newer] = [seal('k1'), seal('k2')];
  for (const [index, id] of ids.entries()) {
    await insertAgentSecrets(project, id, index === 1 ? newer : former);
  }
  const list = async (after: string, limit = 1) =>
    (await listAgentSecretsOfKeys(project, { keyIds: ['k1'], after, limit })).map(({ id }) => id);
  const [first = '', , last = ''] = ids;
  expect([await list(NIL), await list(first), await list(last)]).toEqual([[first], [last], []]);
  await resealAgentSecrets(project, first, randomBytes(12), newer);
  expect(await list(NIL, 9)).toEqual([first, last]);
  await resealAgentSecrets(project, first, former.nonce, newer);
  expect(await list(NIL, 9)).toEqual([last]);
  expect(await readAgentSecrets(project, first)).toMatchObject(newer);
});

function seal(keyId: string) {
  return { keyId, nonce: randomBytes(12), ciphertext: randomBytes(40) };
}
