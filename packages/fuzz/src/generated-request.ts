import * as fc from 'fast-check';
import { arbitraryOf, type Sources } from './arbitrary.ts';
import type { Operation, Parameter } from './document.ts';
import { hostileBody, hostileJson, hostileText, spoil } from './hostile.ts';

/** What is sent. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly token: 'valid' | 'bad' | 'none';
}

interface Filled {
  readonly parameter: Parameter;
  /** Undefined: it is left out. */
  readonly value: string | undefined;
}

const METHODS = ['PUT', 'TRACE', 'OPTIONS', 'POST', 'PATCH', 'DELETE', 'GET', 'HEAD'];
const OTHER_TYPES = ['text/plain', 'application/json; charset=utf-16', 'a', 'multipart/form-data'];

/**
 * Gives what makes requests for `operation`: mostly such as fit it, else with something hostile in one of their parts.
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
      accept: fc.constantFrom(...acceptable(operation)),
      type: mostly(fc.constant('application/json'), fc.constantFrom(...OTHER_TYPES), 30),
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

/** One time in `often` the other. */
function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, often: number): fc.Arbitrary<T> {
  return fc.oneof({ weight: often - 1, arbitrary: usual }, { weight: 1, arbitrary: other });
}

/** What an id in a path is the id of: the part before it. Other parameters are what they are called. */
function nounOf({ in: place, name }: Parameter, path: string): string {
  const [before = ''] = path.split(`/{${name}}`);
  return (place === 'path' && before.split('/').at(-1)) || name;
}

function fillingOf(
  { in: place, required = false, schema }: Parameter,
  noun: string,
  sources: Sources,
): fc.Arbitrary<string | undefined> {
  const known = sources.named(noun);
  const fresh = arbitraryOf(schema, noun, sources);
  const isToBeMet = known.length > 0 && place === 'path';
  const fitting = isToBeMet ? mostly(fc.constantFrom(...known), fresh, 10) : fresh;
  const text: fc.Arbitrary<string | undefined> = mostly(fitting.map(String), hostileText, 15);
  return required ? text : fc.oneof(text, fc.constant(undefined));
}

function bodyOf(
  { example, schema }: NonNullable<Operation['body']>,
  sources: Sources,
): fc.Arbitrary<string> {
  const valid = arbitraryOf(schema, '', sources);
  const turns = fc.array(fc.nat(100), { minLength: 1, maxLength: 4 });
  const spoilt = fc.tuple(valid, turns, hostileJson).map((parts) => spoil(...parts));
  const values = fc.oneof(
    { weight: 6, arbitrary: fc.constant(example) },
    { weight: 8, arbitrary: valid },
    { weight: 4, arbitrary: spoilt },
    { weight: 1, arbitrary: hostileJson },
  );
  const text = values.map((value) => JSON.stringify(value ?? null));
  return mostly(text, hostileBody, 20);
}

function acceptable({ responses }: Operation): [string, ...string[]] {
  const types = Object.keys(responses['200']?.content ?? {});
  // A stream of events ends only with what it tells of.
  return ['*/*', ...types.filter((type) => type !== 'text/event-stream')];
}

function addressOf(path: string, values: readonly Filled[]): string {
  let address = path;
  const query: string[] = [];
  for (const { parameter, value } of values) {
    if (value === undefined) continue;
    const text = encodeURIComponent(value.toWellFormed());
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, () => text);
    if (parameter.in === 'query') query.push(`${parameter.name}=${text}`);
  }
  return query.length > 0 ? `${address}?${query.join('&')}` : address;
}

/** Header values that Node's client lets through; others are for raw sockets. */
function headersOf(values: readonly Filled[]): Record<string, string> {
  const headers = values.filter(({ parameter }) => parameter.in === 'header');
  return Object.fromEntries(
    headers.flatMap(({ parameter, value }) =>
      value === undefined
        ? []
        : [[parameter.name, value.replaceAll(/[^ -~]/g, '?').slice(0, 8000)]],
    ),
  );
}
