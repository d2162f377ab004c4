import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  changeOf,
  envDraftOf,
  nameFault,
  newHosts,
  newVariables,
  RESERVED_PATTERN,
  rowFault,
  withChange,
  withoutRow,
  withPasted,
  withRow,
} from './env-draft.ts';

const stored = {
  name: 'Production',
  isDefault: false,
  keys: ['LLM_API_KEY', 'LLM_MODEL'],
  hosts: {},
};

test('a template that nobody touched has no change, and a value that stays is not sent', () => {
  const draft = envDraftOf(stored, []);
  expect(changeOf(draft, stored)).toBeNull();
  expect(changeOf(withRow(draft), stored)).toBeNull();
  const renamed = { ...withChange(draft, 1, { value: 'small' }), name: ' Staging ' };
  expect(changeOf(renamed, stored)).toEqual({ name: 'Staging', variables: { LLM_MODEL: 'small' } });
});

test('a stored variable is deleted on saving, and an emptied value is written as empty', () => {
  const removed = withoutRow(envDraftOf(stored, []), 1);
  expect(removed.rows).toHaveLength(2);
  expect(changeOf(removed, stored)).toEqual({ variables: { LLM_MODEL: null } });
  const kept = withChange(removed, 1, { isRemoved: false });
  expect(changeOf(kept, stored)).toBeNull();
  expect(changeOf(withChange(kept, 1, { value: '' }), stored)).toEqual({
    variables: { LLM_MODEL: '' },
  });
});

test('pasted variables fill the rows of their names, and the empty row goes', () => {
  const draft = withRow(withoutRow(envDraftOf(stored, []), 1));
  const pasted = withPasted(
    draft,
    new Map([
      ['LLM_MODEL', 'big'],
      ['GREETING', 'Hi'],
    ]),
  );
  expect(pasted.rows.map(({ name, value, isRemoved }) => [name, value, isRemoved])).toEqual([
    ['LLM_API_KEY', null, false],
    ['LLM_MODEL', 'big', false],
    ['GREETING', 'Hi', false],
  ]);
  expect(new Set(pasted.rows.map(({ key }) => key)).size).toBe(3);
});

test('a new template begins with what agents need, and leaves empty rows out', () => {
  const draft = withRow(withChange(envDraftOf(null, ['LLM_API_KEY']), 0, { value: 'sk-1' }));
  expect(newVariables(draft)).toEqual({ LLM_API_KEY: 'sk-1' });
});

test('a name that is there already, or that nobody may set, cannot be saved', () => {
  const { rows } = withRow(withRow(envDraftOf(stored, []), 'LLM_MODEL', 'x'), 'NODE_OPTIONS', 'x');
  expect(rows.map((row) => rowFault(row, rows))).toEqual([
    null,
    null,
    'This name is here already.',
    expect.stringMatching(/^This name is reserved/),
  ]);
});

test('hosts of a variable are sent when they change, and null removes them', () => {
  const hotel = {
    ...stored,
    keys: ['HOTEL_KEY'],
    hosts: { HOTEL_KEY: ['a.example', 'b.example'] },
  };
  const draft = envDraftOf(hotel, []);
  expect(draft.rows[0]?.hosts).toBe('a.example b.example');
  expect(changeOf(draft, hotel)).toBeNull();
  expect(changeOf(withChange(draft, 0, { hosts: '' }), hotel)).toEqual({
    hosts: { HOTEL_KEY: null },
  });
  expect(changeOf(withChange(draft, 0, { value: 'x', hosts: 'a.example, ' }), hotel)).toEqual({
    variables: { HOTEL_KEY: 'x' },
    hosts: { HOTEL_KEY: ['a.example'] },
  });
  expect(changeOf(withChange(withoutRow(draft, 0), 0, { hosts: '' }), hotel)).toEqual({
    variables: { HOTEL_KEY: null },
  });
});

test('a new variable may have hosts', () => {
  const draft = withRow(envDraftOf(null, []), 'HOTEL_KEY', 'x');
  expect(newHosts(draft)).toEqual({});
  expect(newHosts(withChange(draft, 0, { hosts: 'a.example:8443' }))).toEqual({
    HOTEL_KEY: ['a.example:8443'],
  });
});

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
