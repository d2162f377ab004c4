import { randomBytes } from 'node:crypto';
import { NIL } from 'uuid';
import { expect } from 'vitest';
import { insertAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { prepareAgentSecretQueries } from './agent-secrets.ts';
import { prepareAgentQueries } from './agents.ts';

test('the values of the first start are kept, whatever a later start brings', async ({
  project,
}) => {
  const secrets = prepareAgentSecretQueries(project);
  const id = await insertAgent(project);
  expect(await secrets.readAgentSecrets(id)).toBeUndefined();
  const [first, second] = [seal('k1'), seal('k2')];
  expect(await secrets.insertAgentSecrets(id, first)).toBe(true);
  expect(await secrets.insertAgentSecrets(id, second)).toBe(false);
  const { projectId } = project;
  expect(await secrets.readAgentSecrets(id)).toEqual({ id, projectId, ...first });
});

test('an agent has its values until it has stopped, and gets none afterwards', async ({
  project,
}) => {
  const secrets = prepareAgentSecretQueries(project);
  const agents = prepareAgentQueries(project);
  const [id, other] = [await insertAgent(project), await insertAgent(project)];
  for (const agentId of [id, other]) await secrets.insertAgentSecrets(agentId, seal('k1'));
  const state = { reason: null, detail: null, exitCode: null };
  await agents.updateAgentState(id, { status: 'Running', ...state });
  expect(await secrets.readAgentSecrets(id)).toBeDefined();
  await agents.updateAgentState(id, { status: 'Stopped', ...state });
  expect(await secrets.readAgentSecrets(id)).toBeUndefined();
  expect(await secrets.insertAgentSecrets(id, seal('k1'))).toBe(false);
  expect(await secrets.readAgentSecrets(other)).toBeDefined();
});

test('values of given keys are listed a page at a time, and sealed again unless they changed meanwhile', async ({
  project,
}) => {
  const secrets = prepareAgentSecretQueries(project);
  const ids = [await insertAgent(project), await insertAgent(project), await insertAgent(project)];
  const [former, newer] = [seal('k1'), seal('k2')];
  for (const [index, id] of ids.entries()) {
    await secrets.insertAgentSecrets(id, index === 1 ? newer : former);
  }
  const list = async (after: string, limit = 1) =>
    (await secrets.listAgentSecretsOfKeys({ keyIds: ['k1'], after, limit })).map(({ id }) => id);
  const [first = '', , last = ''] = ids;
  expect([await list(NIL), await list(first), await list(last)]).toEqual([[first], [last], []]);
  await secrets.resealAgentSecrets(first, randomBytes(12), newer);
  expect(await list(NIL, 9)).toEqual([first, last]);
  await secrets.resealAgentSecrets(first, former.nonce, newer);
  expect(await list(NIL, 9)).toEqual([last]);
  expect(await secrets.readAgentSecrets(first)).toMatchObject(newer);
});

function seal(keyId: string) {
  return { keyId, nonce: randomBytes(12), ciphertext: randomBytes(40) };
}
