import { expect, test } from 'vitest';
import { faultsIn, messagesAbout } from '../../testing/shapes.ts';
import { AgentDefinition, Tool, Tools, withToolDefaults } from './agent-tool.ts';
import { argumentsIn, fillArguments, fillVariables, variablesIn } from './tool-placeholders.ts';

const day = { type: 'string', description: 'As YYYY-MM-DD', maxLength: 10 } as const;
const tool = {
  name: 'find_rooms',
  description: 'Finds rooms in {{hotel}}.',
  parameters: { type: 'object', properties: { day }, required: ['day'] },
  request: { method: 'GET', url: 'https://api.hotel.example/rooms?day={day}&in={{hotel}}' },
} as const;

const withRequest = (request: object) => ({ ...tool, request: { ...tool.request, ...request } });
const withUrl = (url: string) => withRequest({ url });
const withParameter = (parameter: unknown) => ({
  ...tool,
  parameters: { type: 'object', properties: { day, more: parameter }, required: ['day'] },
});
const onInterrupt = (method: Tool['request']['method']) =>
  withToolDefaults(Tool.parse(withRequest({ method }))).onInterrupt;
const nested = (levels: number): unknown =>
  levels === 0 ? day : { type: 'object', properties: { inner: nested(levels - 1) } };

test('a tool has a request, and may say how it is called', () => {
  expect(faultsIn(Tool, tool)).toEqual([]);
  const more = {
    timeoutMs: 1000,
    say: 'One moment, {{guest}}.',
    onInterrupt: 'finish',
    record: 'outcome',
  };
  expect(faultsIn(Tool, { ...tool, ...more })).toEqual([]);
  for (const name of ['name', 'description', 'parameters', 'request']) {
    expect(faultsIn(Tool, { ...tool, [name]: undefined })).toContain(name);
  }
  expect(
    faultsIn(Tool, { ...tool, timeoutMs: 30_001, onInterrupt: 'stop', record: 'none' }),
  ).toEqual(['timeoutMs', 'onInterrupt', 'record']);
});

test.for([
  '',
  'Find',
  '1st',
  'a-b',
  'crm__search',
  'set_deliverable',
  'reopen_step',
  'a'.repeat(65),
])('the name %j is refused', (name) => {
  expect(faultsIn(Tool, { ...tool, name })).toEqual(['name']);
});

test.for([
  'https://api.hotel.example/rooms?day={day}',
  'http://127.0.0.1:8080/{day}/x',
  'https://[2001:db8::1]:8443?day={day}',
  'https://API.hotel.example/{{hotel}}/{day}?a=b&c=%20',
])('the URL %s is accepted', (url) => {
  expect(faultsIn(Tool, withUrl(url))).toEqual([]);
});

test.for([
  'ftp://api.hotel.example/',
  'https:///rooms',
  'https://{day}.example/',
  'https://{{hotel}}.example/',
  'https://user@api.hotel.example/',
  'https://user:word@api.hotel.example/',
  'https://api.hotel.example\\@other.example/',
  'https://api.hotel.example:99999/',
  'https://api.hotel.example/#part',
  'https://api.hotel.example/a b',
  'https://api.hotel.example/{{env.HOTEL_KEY}}',
  'https://api.hotel.example/{day',
  'https://api.hotel.example/{{{hotel}}}',
  'https://api.hotel.example/{{Hotel}}',
  `https://api.hotel.example/${'a'.repeat(2000)}`,
])('the URL %s is refused', (url) => {
  expect(faultsIn(Tool, withUrl(url))).toContain('request.url');
});

test('an argument of the URL is a required word', () => {
  expect(messagesAbout(Tool, withUrl('https://api.hotel.example/{night}'))).toEqual([
    'night must be a required parameter, and neither an object nor an array',
  ]);
  const url = 'https://api.hotel.example/{more}';
  expect(faultsIn(Tool, { ...withParameter(day), request: { method: 'GET', url } })).toEqual([
    'request.url',
  ]);
});

test('headers may contain secrets of the environment template', () => {
  const headers = { Authorization: 'Bearer {{env.HOTEL_KEY}}', accept: 'application/json' };
  expect(faultsIn(Tool, withRequest({ headers }))).toEqual([]);
});

test.for<Record<string, string>>([
  { host: 'other.example' },
  { 'Content-Length': '3' },
  { 'transfer-encoding': 'chunked' },
  { 'two words': 'a' },
  { '': 'a' },
  { a: 'line\r\nx: y' },
  { a: 'café' },
  { a: '{{hotel}}' },
  { a: '{{env.hotel}}' },
  { a: '{{env.MEDIA_TOKEN}}' },
  { a: '{day}' },
  { a: 'x'.repeat(1001) },
  { a: '1', A: '2' },
])('the headers %j are refused', (headers) => {
  expect(faultsIn(Tool, withRequest({ headers }))).toHaveLength(1);
});

test('parameters are a part of JSON Schema, three levels deep', () => {
  const accepted = [
    { type: 'string', enum: ['a', 'b'] },
    { type: 'integer', minimum: 0, maximum: 9 },
    { type: 'boolean' },
    { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    nested(2),
  ];
  for (const parameter of accepted) expect(faultsIn(Tool, withParameter(parameter))).toEqual([]);
});

test.for<unknown>([
  { type: 'string', pattern: '^(a+)+$' },
  { type: 'string', minimum: 1 },
  { type: 'string', enum: [1] },
  { type: 'number', maxLength: 1 },
  { type: ['string', 'null'] },
  { type: 'null' },
  { $ref: '#' },
  { type: 'array' },
  { type: 'object' },
  { type: 'object', properties: {}, required: ['a'] },
  { type: 'object', properties: { a: day }, required: ['a', 'a'] },
  nested(3),
  null,
])('the parameter %j is refused', (parameter) => {
  expect(faultsIn(Tool, withParameter(parameter))).not.toEqual([]);
});

test('a parameter __proto__ is left out', () => {
  const parameter = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
  const { more } = Tool.parse(withParameter(parameter)).parameters.properties;
  expect(Object.keys(more?.properties ?? { no: 0 })).toEqual([]);
});

test('an agent has at most 16 tools of different names, with 16 KiB', () => {
  const many = (count: number, size = 1) =>
    Array.from({ length: count }, (_, index) => ({
      ...tool,
      name: `tool_${index}`,
      description: 'a'.repeat(size),
    }));
  expect(faultsIn(Tools, many(16))).toEqual([]);
  expect(faultsIn(Tools, many(17))).toEqual(['']);
  expect(faultsIn(Tools, [tool, tool])).toEqual(['']);
  expect(faultsIn(Tools, many(16, 1024))).toEqual(['']);
});

test('a GET is cancelled when a person speaks, and all else ends', () => {
  expect(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) =>
      onInterrupt(Tool.shape.request.shape.method.parse(method)),
    ),
  ).toEqual(['cancel', 'finish', 'finish', 'finish', 'finish']);
});

test('an agent takes tools whose variables are filled in, and ignores what a newer version adds', () => {
  const url = 'https://api.hotel.example/rooms?day={day}&in=%7Bx%7D';
  const filled = { ...withToolDefaults(Tool.parse(withUrl(url))), say: '{{ }', newer: true };
  const definition = { version: 1, tools: [filled], hosts: { HOTEL_KEY: ['a.example'] }, newer: 1 };
  expect(faultsIn(AgentDefinition, definition)).toEqual([]);
  expect(AgentDefinition.parse(definition).tools[0]).not.toHaveProperty('newer');
});

test.for<object>([
  { version: 2 },
  { tools: [tool] },
  { tools: undefined },
  { hosts: { A: 'a.example' } },
  { tools: [withToolDefaults(Tool.parse(tool))] },
])('an agent takes no definition with %j', (fault) => {
  expect(faultsIn(AgentDefinition, { version: 1, tools: [], ...fault })).not.toEqual([]);
});

test('a value that looks like a placeholder is not filled in again', () => {
  const url = 'https://a.example/{day}?in={{hotel}}';
  expect([variablesIn(url), argumentsIn(url)]).toEqual([['hotel'], ['day']]);
  const filled = fillVariables(url, () => encodeURIComponent('{day}{{hotel}}'));
  expect(fillArguments(filled, () => '{day}')).toBe(
    'https://a.example/{day}?in=%7Bday%7D%7B%7Bhotel%7D%7D',
  );
});
