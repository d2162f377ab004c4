import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv } from 'ajv';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../../..');
let faultsOf: (compose: string) => string[];

beforeAll(async () => {
  const schema = await readFile(path.join(root, 'infra/docker/compose-spec.json'), 'utf8');
  // The published schema is laxer than the strict mode allows, and has formats of its own.
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  // It names its own draft by an address that Ajv does not know: draft 7, which Ajv assumes.
  const validate = ajv.compile({ ...JSON.parse(schema), $schema: undefined });
  faultsOf = (compose) => {
    validate(parse(compose));
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
});

test('docker-compose.yml is what the Compose specification allows', async () => {
  expect(faultsOf(await readFile(path.join(root, 'docker-compose.yml'), 'utf8'))).toEqual([]);
});

test.each([
  ['stop_grace_period', 'stop_grace_perod'],
  ['read_only: true', 'read_only: [1]'],
  ['condition: service_healthy', 'condition: service_helthy'],
])('docker-compose.yml with another word than %s is refused', async (word, other) => {
  const compose = await readFile(path.join(root, 'docker-compose.yml'), 'utf8');
  expect(compose).toContain(word);
  expect(faultsOf(compose.replace(word, other))).not.toEqual([]);
});

test('no container can write into its image, has a right of the kernel’s that it does not need, or gains any', async () => {
  const { services } = parse(await readFile(path.join(root, 'docker-compose.yml'), 'utf8'));
  expect(Object.keys(services)).toHaveLength(5);
  for (const [name, service] of Object.entries(services)) {
    expect([name, service]).toMatchObject([
      name,
      { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
    ]);
  }
});
