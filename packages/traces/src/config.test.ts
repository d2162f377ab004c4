import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { agentTraceVariables } from './agent-trace-variables.ts';
import { readTraceConfig } from './config.ts';

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
const env = { OTEL_EXPORTER_OTLP_ENDPOINT };

test.each([
  ['no variable', {}],
  ['an empty address', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['a variable for other programs alone', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ['the SDK disabled', { ...env, OTEL_SDK_DISABLED: 'TRUE' }],
  ['no exporter', { ...env, OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
])('with %s nothing is traced', (_, variables) => {
  expect(readTraceConfig(variables)).toBeUndefined();
});

test('an address is enough; the other variables have OpenTelemetry’s defaults', () => {
  expect(readTraceConfig(env)).toEqual({
    url: 'http://collector:4318/v1/traces',
    protocol: 'http/protobuf',
    headers: {},
    timeoutMs: 10_000,
    resource: {},
    sampler: 'parentbased_always_on',
    ratio: 1,
    delayMs: 5000,
    queueSize: 2048,
  });
});

test.each([
  ['http://collector:4318/', 'http://collector:4318/v1/traces'],
  ['https://collector/base//', 'https://collector/base/v1/traces'],
  ['https://collector/base?key=a/b', 'https://collector/base/v1/traces?key=a/b'],
  ['https://ann:a%2Fb@collector', 'https://ann:a%2Fb@collector/v1/traces'],
])('the traces of %s go below its path, with its query', (given, url) => {
  expect(readTraceConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: given })).toMatchObject({ url });
});

test('headers and attributes are pairs with encoded values, and the name of the service wins', () => {
  const config = readTraceConfig({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/own',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20a%3D%3D, x-team = one',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=ours,deployment.environment.name=a=b',
    OTEL_SERVICE_NAME: 'theirs',
  });
  expect(config).toMatchObject({
    url: 'https://collector/own',
    headers: { authorization: 'Basic a==', 'x-team': 'one' },
    resource: { 'service.name': 'theirs', 'deployment.environment.name': 'a=b' },
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%hunter2'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
  ['OTEL_TRACES_SAMPLER', 'often'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_BSP_SCHEDULE_DELAY', 'soon'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
])('a faulty %s is named, and no value is repeated', (name, value) => {
  const read = () => readTraceConfig({ ...env, [name]: value });
  expect(read).toThrow(StartError);
  expect(read).toThrow(name);
  expect(read).not.toThrow('hunter2');
});

test.each([
  ['a header', { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2' }],
  ['a password', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:hunter2@collector' }],
  ['a query', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/v1/traces?key=hunter2' }],
])(
  'agents get no address where the receiver needs %s, unless they have one of their own',
  (_, more) => {
    const config = readTraceConfig({ ...env, ...more });
    expect(agentTraceVariables(config, undefined)).toEqual({});
    expect(agentTraceVariables(config, 'http://agents:4318/')).toEqual({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://agents:4318/v1/traces',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    });
  },
);

test('agents get the receiver’s address where it needs no secret, and nothing where nothing is traced', () => {
  expect(agentTraceVariables(readTraceConfig(env), undefined)).toEqual({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  });
  expect(agentTraceVariables(undefined, 'http://agents:4318')).toEqual({});
});
