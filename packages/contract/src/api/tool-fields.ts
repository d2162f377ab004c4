import * as z from 'zod';
import { isReservedVariable } from './reserved-variables.ts';
import { hasLiteralHost, isUrl, secretsIn } from './tool-placeholders.ts';

const MAX_HEADERS = 20;
export const DEFAULT_TIMEOUT_MS = 10_000;

/** Headers that frame a request, that name its host, or that change how an answer is read. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export const ToolUrl = z
  .string()
  .max(2000)
  .refine(hasLiteralHost, {
    error:
      'the URL must begin with https:// (http:// in opened networks) and a literal host, without braces, user or password',
  })
  .refine(isUrl, {
    error:
      'leave fragments and spaces out of the URL, and use braces only around names: {argument}, {{variable}}',
  });

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/)
  .refine((name) => !OWN_HEADERS.has(name.toLowerCase()));

const HeaderValue = z
  .string()
  .max(1000)
  .regex(/^[\t\x20-\x7e]*$/, 'a header has only printable ASCII characters')
  .refine((value) => secretsIn(value)?.every((name) => !isReservedVariable(name)) ?? false, {
    error:
      'braces are allowed only around the name of a variable of the environment template, which must not be reserved: {{env.NAME}}',
  });

export const ToolHeaders = z
  .record(HeaderName, HeaderValue, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? 'choose another header: this one is reserved, or its name is not valid in HTTP'
        : undefined,
  })
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, {
    error: `a tool has at most ${MAX_HEADERS} headers`,
  })
  .refine((headers) => isUnique(Object.keys(headers).map((name) => name.toLowerCase())), {
    error: 'each header may be set only once',
  });

export const TimeoutMs = z.int().min(1000).max(30_000);

export function isUnique(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
