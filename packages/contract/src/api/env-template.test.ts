import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  accepts,
  faultsIn,
  messagesAbout,
  NOT_OBJECTS,
  NOT_STRINGS,
  withField,
} from '../../testing/shapes.ts';
import { anyText } from '../../testing/texts.ts';
import { EnvTemplateChange, EnvVariables, NewEnvTemplate } from './env-template.ts';

const needed = { LLM_API_KEY: 'k' };
const MAX_VALUE_BYTES = 32_768;
const MAX_TEMPLATE_BYTES = 524_288;

test.each([
  'A',
  '_',
  '_A',
  'A1',
  'LLM_MODEL',
  'X'.repeat(64),
  'PATHS',
  'HOMES',
  'PLANS',
  'MEDIA',
  'AGENT',
  'NODES',
  'PROXY',
  'TMP',
  'RUST',
  'PYTHONPATH',
])('a variable may have the name %s', (name) => {
  expect(EnvVariables.parse({ ...needed, [name]: 'v' })).toEqual({ ...needed, [name]: 'v' });
  expect(accepts(EnvTemplateChange, { variables: { [name]: null } })).toBe(true);
});

test.each([
  '',
  '1A',
  'a',
  'llm_model',
  'A-B',
  'A B',
  'A=B',
  'A.B',
  'É',
  'A\0',
  'A\n',
  '\uD800',
  'X'.repeat(65),
])('400 for a variable whose name no shell could set: %j', (name) => {
  expect(messagesAbout(EnvVariables, { ...needed, [name]: 'v' })).toEqual([
    expect.stringContaining('a name has 1 to 64 characters'),
  ]);
  expect(accepts(EnvTemplateChange, { variables: { [name]: null } })).toBe(false);
});

test.each([
  'MEDIA_URL',
  'AGENT_ID',
  'SESSION_ID',
  'KUBERNETES_SERVICE_HOST',
  'PATH',
  'LD_PRELOAD',
  'NODE_CHANNEL_FD',
  'NODE_V8_COVERAGE',
])(
  'a template cannot set %s, which belongs to the platform or the runtime, but an older template can lose it',
  (name) => {
    expect(faultsIn(EnvVariables, { ...needed, [name]: 'v' })).toEqual([name]);
    expect(messagesAbout(EnvVariables, { ...needed, [name]: 'v' })).toEqual([
      expect.stringContaining('this name is reserved'),
    ]);
    expect(faultsIn(EnvTemplateChange, { variables: { [name]: 'v' } })).toEqual([
      `variables.${name}`,
    ]);
    const deletion = { variables: { [name]: null } };
    expect(EnvTemplateChange.parse(deletion)).toEqual(deletion);
  },
);

test('a prototype key is no variable, and cannot stand in for the required one', () => {
  const hidden = withField(needed, '__proto__', { POLLUTED: 'v' });
  expect(Object.entries(EnvVariables.parse(hidden))).toEqual(Object.entries(needed));
  expect(Object.hasOwn(Object.prototype, 'POLLUTED')).toBe(false);
  expect(accepts(EnvVariables, withField({}, '__proto__', needed))).toBe(false);
});

test.each([{}, { LLM_API_KEY: '' }, { LLM_MODEL: 'small' }])(
  'a template without LLM_API_KEY is refused at that name: %j',
  (variables) => {
    expect(faultsIn(EnvVariables, variables)).toEqual(['LLM_API_KEY']);
    const template = { name: 'Production', variables };
    expect(faultsIn(NewEnvTemplate, template)).toEqual(['variables.LLM_API_KEY']);
  },
);

test('a value of another JSON type is refused, so that no program gets "[object Object]"', () => {
  for (const value of NOT_STRINGS) {
    expect(faultsIn(EnvVariables, { ...needed, LLM_MODEL: value })).toEqual(['LLM_MODEL']);
  }
  for (const variables of NOT_OBJECTS) expect(accepts(EnvVariables, variables)).toBe(false);
});

test('null deletes a variable in a change only', () => {
  expect(EnvTemplateChange.parse({ variables: { LLM_MODEL: null } })).toEqual({
    variables: { LLM_MODEL: null },
  });
  expect(accepts(EnvVariables, { ...needed, LLM_MODEL: null })).toBe(false);
});

test.each([
  ['x', 1],
  ['é', 2],
  ['€', 3],
  ['👋', 4],
])('a value of %s may have 32,768 bytes, and not one more', (character, bytes) => {
  const value = character.repeat(Math.floor(MAX_VALUE_BYTES / bytes));
  const longest = value + 'x'.repeat(MAX_VALUE_BYTES - Buffer.byteLength(value));
  expect(accepts(EnvVariables, { LLM_API_KEY: longest })).toBe(true);
  expect(messagesAbout(EnvVariables, { LLM_API_KEY: `${longest}x` })).toEqual([
    'a value has at most 32768 bytes',
  ]);
});

test('a template may have 100 variables, and not one more', () => {
  const many = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`V${index}`, '']));
  expect(accepts(EnvVariables, { ...needed, ...many })).toBe(true);
  expect(messagesAbout(EnvVariables, { ...needed, ...many, ONE_MORE: '' })).toEqual([
    'a template has at most 100 variables',
  ]);
});

test('all names and values together may have 512 KiB, and not one byte more', () => {
  const full: Record<string, string> = { ...needed };
  const bytes = () => Buffer.byteLength(Object.entries(full).flat().join(''));
  for (let index = 0; bytes() < MAX_TEMPLATE_BYTES - MAX_VALUE_BYTES; index += 1) {
    full[`V${index}`] = 'é'.repeat(MAX_VALUE_BYTES / 2);
  }
  full['REST'] = 'x'.repeat(MAX_TEMPLATE_BYTES - bytes() - 'REST'.length);
  expect(bytes()).toBe(MAX_TEMPLATE_BYTES);
  expect(accepts(EnvVariables, full)).toBe(true);
  expect(messagesAbout(EnvVariables, { ...full, LLM_API_KEY: 'kk' })).toEqual([
    'all variables together have at most 524288 bytes',
  ]);
});

test.each([
  [' Production ', 'Production'],
  ['x'.repeat(100), 'x'.repeat(100)],
  [`  ${'x'.repeat(100)}\n`, 'x'.repeat(100)],
])('a template’s name is trimmed before it is measured: %j', (name, trimmed) => {
  expect(EnvTemplateChange.parse({ name })).toEqual({ name: trimmed });
  expect(NewEnvTemplate.parse({ name, variables: needed })).toEqual({
    name: trimmed,
    variables: needed,
    isDefault: false,
  });
});

test.each(['', ' ', '\t\n', '\u00a0', 'x'.repeat(101)])(
  'a template without a name of 1 to 100 characters is refused: %j',
  (name) => {
    expect(faultsIn(EnvTemplateChange, { name })).toEqual(['name']);
    expect(faultsIn(NewEnvTemplate, { name, variables: needed })).toEqual(['name']);
  },
);

test('a name of another JSON type is refused', () => {
  for (const name of NOT_STRINGS) {
    expect(faultsIn(EnvTemplateChange, { name })).toEqual(['name']);
  }
});

test('an empty change is accepted, and changes nothing', () => {
  expect(EnvTemplateChange.parse({})).toEqual({});
  expect(EnvTemplateChange.parse({ variables: {} })).toEqual({ variables: {} });
});

test('isDefault is a boolean, no text and no number', () => {
  for (const isDefault of ['true', 1, null]) {
    expect(faultsIn(EnvTemplateChange, { isDefault })).toEqual(['isDefault']);
  }
});

test('accepted variables come out unchanged, byte for byte', () => {
  const name = fc.stringMatching(/^[B-F][A-Z0-9_]{0,20}$/);
  const values = fc.dictionary(name, anyText, { maxKeys: 20 });
  fc.assert(
    fc.property(values, (variables) => {
      expect(EnvVariables.parse({ ...variables, ...needed })).toEqual({ ...variables, ...needed });
    }),
  );
});
