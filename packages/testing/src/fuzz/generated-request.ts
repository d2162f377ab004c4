import * as fc from 'fast-check';
import { arbitraryOf, type Sources } from './arbitrary.ts';
import type { Operation, Parameter } from './document.ts';
import { hostileBody, hostileJson, hostileText, spoil } from './hostile.ts';

export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly token: 'valid' | 'bad' | 'none';
}

interface FilledParameter {
  readonly parameter: Parameter;
  /** Undefined: the parameter is left out. An object has a parameter for each of its keys. */
  readonly value: string | Readonly<Record<string, string>> | undefined;
}

const METHODS = ['PUT', 'TRACE', 'OPTIONS', 'POST', 'PATCH', 'DELETE', 'GET', 'HEAD'];
const WRONG_TYPES = ['text/plain', 'application/json; charset=utf-16', 'a', 'multipart/form-data'];

/**
 * Returns an arbitrary for requests to `operation`: most of them match the document, the others have something hostile
 * in one of their parts.
 */
export function requestOf(operation: Operation, sources: Sources): fc.Arbitrary<GeneratedRequest> {
  const { body, method, parameters, path } = operation;
  const values = parameters.map((parameter) =>
    fillingOf(parameter, nounOf(parameter, path), sources).map((value) => ({ parameter, value })),
  );
  return fc
    .record({
      method: mostly(fc.constant(method), fc.constantFrom(...METHODS), 50),
      values: fc.tuple(...values),
      sent: body ? bodyOf(body, sources) : fc.constant(undefined),
      accept: fc.constantFrom(...acceptTypes(operation)),
      type: mostly(fc.constant('application/json'), fc.constantFrom(...WRONG_TYPES), 30),
      token: mostly(
        fc.constant('valid' as const),
        fc.constantFrom('bad' as const, 'none' as const),
        30,
      ),
    })
    .map(({ accept, sent, token, type, values: all, ...request }) => ({
      ...request,
      path: addressOf(path, all),
      token,
      headers: { accept, ...headersOf(all), ...(sent !== undefined && { 'content-type': type }) },
      ...(sent !== undefined && { body: sent }),
    }));
}

function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T> {
  return fc.oneof({ weight: oneIn - 1, arbitrary: usual }, { weight: 1, arbitrary: other });
}

/** Returns what a parameter names: for an id in a path the segment before it, for any other parameter its own name. */
function nounOf({ in: location, name }: Parameter, path: string): string {
  const [before = ''] = path.split(`/{${name}}`);
  return (location === 'path' && before.split('/').at(-1)) || name;
}

function fillingOf(
  { in: location, required = false, schema }: Parameter,
  noun: string,
  sources: Sources,
): fc.Arbitrary<FilledParameter['value']> {
  const known = sources.named(noun);
  const fresh = arbitraryOf(schema, noun, sources);
  const usesKnownIds = known.length > 0 && location === 'path';
  const fitting = usesKnownIds ? mostly(fc.constantFrom(...known), fresh, 10) : fresh;
  const text: fc.Arbitrary<FilledParameter['value']> = mostly(
    fitting.map(textsOf),
    hostileText,
    15,
  );
  return required ? text : fc.oneof(text, fc.constant(undefined));
}

function textsOf(value: unknown): string | Record<string, string> {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, String(item)]));
}

function bodyOf(
  { example, schema }: NonNullable<Operation['body']>,
  sources: Sources,
): fc.Arbitrary<string> {
  const valid = arbitraryOf(schema, '', sources);
  const indexes = fc.array(fc.nat(100), { minLength: 1, maxLength: 4 });
  const spoilt = fc.tuple(valid, indexes, hostileJson).map((parts) => spoil(...parts));
  const values = fc.oneof(
    { weight: 6, arbitrary: fc.constant(example) },
    { weight: 8, arbitrary: valid },
    { weight: 4, arbitrary: spoilt },
    { weight: 1, arbitrary: hostileJson },
  );
  const text = values.map((value) => JSON.stringify(value ?? null));
  return mostly(text, hostileBody, 20);
}

function acceptTypes({ responses }: Operation): [string, ...string[]] {
  const types = Object.keys(responses['200']?.content ?? {});
  // An event stream may stay open for an hour.
  return ['*/*', ...types.filter((type) => type !== 'text/event-stream')];
}

function addressOf(path: string, values: readonly FilledParameter[]): string {
  let address = path;
  const query: string[] = [];
  for (const { parameter, value } of values) {
    if (value === undefined) continue;
    if (typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) {
        query.push(`${encoded(`${parameter.name}[${key}]`)}=${encoded(item)}`);
      }
      continue;
    }
    const text = encoded(value);
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, () => text);
    if (parameter.in === 'query') query.push(`${parameter.name}=${text}`);
  }
  return query.length > 0 ? `${address}?${query.join('&')}` : address;
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Returns the headers, with values that Node's client accepts: other values would need a raw socket. */
function headersOf(values: readonly FilledParameter[]): Record<string, string> {
  const headers = values.filter(({ parameter }) => parameter.in === 'header');
  return Object.fromEntries(
    headers.flatMap(({ parameter, value }) =>
      typeof value !== 'string'
        ? []
        : [[parameter.name, value.replaceAll(/[^ -~]/g, '?').slice(0, 8000)]],
    ),
  );
}
