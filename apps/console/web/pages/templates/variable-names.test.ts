import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { nameFault, RESERVED_PATTERN } from './variable-names.ts';

const openapi = new URL('../../../../../docs/openapi.json', import.meta.url);

test('the names that the API reserves are refused, and no others', async () => {
  const { components } = JSON.parse(await readFile(openapi, 'utf8'));
  const { variables } = components.schemas.NewEnvTemplateInput.properties;
  const { pattern } = variables.propertyNames;
  expect(pattern).toBe(`^(?!${RESERVED_PATTERN}$)[A-Z_][A-Z0-9_]{0,63}$`);
});

test.for(['NODE_OPTIONS', 'http_proxy', 'Path', 'SSLKEYLOGFILE'])('%s is reserved', (name) => {
  expect(nameFault(name)).toMatch(/^This name is reserved/);
});

test('a name is written in capitals', () => {
  expect(nameFault('LLM_API_KEY')).toBeNull();
  for (const name of ['llm_model', '1A', 'A-B', '', 'A'.repeat(65)]) {
    expect(nameFault(name)).toMatch(/^A name has 1 to 64 characters/);
  }
});
