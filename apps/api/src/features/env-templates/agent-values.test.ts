import { expect, test } from 'vitest';
import { openAgentValues, sealAgentValues } from './agent-values.ts';
import { openVault } from './vault.ts';

const vault = openVault(['a secret of the tests, of 32 bytes']);
const key = { id: '01a20316-eea5-71fb-b52e-cc867c11482a', projectId: 'p' };
const values = { LLM_API_KEY: 'k', PLAN: '{}' };

test('values of an agent template are opened, and not by a process that knows none', () => {
  const sealed = { ...key, ...sealAgentValues(vault, values, key, true) };
  expect(vault.open(sealed)).toBeUndefined();
  expect(openAgentValues(vault, sealed)).toEqual({ values, hasTemplate: true });
  expect(openAgentValues(vault, { ...sealed, projectId: 'q' })).toBeUndefined();
});

test('other values are sealed as before', () => {
  const sealed = { ...key, ...sealAgentValues(vault, values, key, false) };
  expect(vault.open(sealed)).toEqual(values);
  expect(openAgentValues(vault, sealed)).toEqual({ values, hasTemplate: false });
});
