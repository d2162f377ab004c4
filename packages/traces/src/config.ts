import { readEnv } from '@session/kit';
import * as z from 'zod';
import { readPairs } from './key-value-pairs.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

const endpoint = () =>
  z.url({ protocol: /^https?$/, error: 'an http:// or https:// URL is needed' });
const pairs = () =>
  z
    .string()
    .transform(readPairs)
    .refine((read) => read !== undefined, { error: 'name=value,name=value is needed' })
    .default({});
const milliseconds = () => z.coerce.number('milliseconds, from 1').int().min(1);

/** OpenTelemetry's names and defaults: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
const Variables = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(PROTOCOLS, 'http/protobuf or http/json')
    .default('http/protobuf'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs(),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds().default(10_000),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs(),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, `one of ${SAMPLERS.join(', ')}`)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('a number from 0 to 1').min(0).max(1).default(1),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds().default(5000),
  OTEL_BSP_MAX_QUEUE_SIZE: z.coerce.number('a whole number from 1').int().min(1).default(2048),
});

const Switches = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional(),
  OTEL_SDK_DISABLED: z.string().default('false'),
  OTEL_TRACES_EXPORTER: z.string().default('otlp'),
});

export interface TraceConfig {
  /** The whole URL to which spans are sent. It is a secret if it contains a password. */
  readonly url: string;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** The fraction of traces that a sampler with `traceidratio` in its name keeps. */
  readonly ratio: number;
  readonly delayMs: number;
  /** How many ended spans may wait; further ones are dropped. */
  readonly queueSize: number;
}

/**
 * Returns the configuration; undefined without an endpoint, or when tracing is switched off. Throws a StartError with
 * one line for each faulty variable.
 */
export function readTraceConfig(env: NodeJS.ProcessEnv): TraceConfig | undefined {
  // If nothing is traced, a variable that a platform sets for other programs is not a fault.
  const switches = readEnv(Switches, env);
  const isOff =
    switches.OTEL_SDK_DISABLED.toLowerCase() === 'true' || switches.OTEL_TRACES_EXPORTER === 'none';
  const hasEndpoint =
    switches.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined ||
    switches.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined;
  if (isOff || !hasEndpoint) return undefined;
  const given = readEnv(Variables, env);
  const { OTEL_SERVICE_NAME: serviceName, OTEL_RESOURCE_ATTRIBUTES: attributes } = given;
  return {
    url:
      given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
      tracesUrl(given.OTEL_EXPORTER_OTLP_ENDPOINT ?? ''),
    protocol: given.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: given.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    timeoutMs: given.OTEL_EXPORTER_OTLP_TIMEOUT,
    resource: { ...attributes, ...(serviceName && { 'service.name': serviceName }) },
    sampler: given.OTEL_TRACES_SAMPLER,
    ratio: given.OTEL_TRACES_SAMPLER_ARG,
    delayMs: given.OTEL_BSP_SCHEDULE_DELAY,
    queueSize: given.OTEL_BSP_MAX_QUEUE_SIZE,
  };
}

/** Returns the URL at which an OTLP endpoint receives traces: `/v1/traces` below its path, with its query. */
export function tracesUrl(otlpEndpoint: string): string {
  const url = new URL(otlpEndpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}
