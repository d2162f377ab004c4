import type { SwaggerTransform, SwaggerTransformObject } from '@fastify/swagger';
import type { Problem } from '@session/contract';
import { ERROR_CODES, type ErrorCode } from '@session/kit';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import * as z from 'zod';

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    schemas: Record<string, Schema>;
    examples?: object;
    headers?: object;
  };
}
interface Operation {
  'x-problems'?: readonly ErrorCode[];
  'x-located'?: readonly number[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Record<string, Answer>;
}
interface Parameter {
  readonly in: string;
  readonly schema: Schema;
  style?: string;
  explode?: boolean;
}
interface Body {
  required?: boolean;
  readonly content: Record<string, Media>;
}
interface Answer {
  description: string;
  headers?: object;
  readonly content?: Record<string, Media>;
}
interface Media {
  readonly schema: Schema;
  example?: unknown;
  examples?: object;
}
interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}
type Override = NonNullable<
  NonNullable<Parameters<typeof createJsonSchemaTransform>[0]['zodToJsonConfig']>['override']
>;

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Done; this is the present state',
  201: 'Created; `Location` is its path',
  202: 'Accepted',
  204: 'Done; the response has no body',
};
const string = { type: 'string' };
const HEADERS = {
  'x-request-id': {
    schema: string,
    description: 'The id of this request in the log of the service',
  },
  location: { schema: string, description: 'The path of the object' },
  etag: { schema: string, description: 'The version of the object, for `If-Match`' },
  'retry-after': {
    schema: { type: 'integer' },
    description: 'How many seconds to wait before the next attempt',
  },
  'idempotent-replayed': {
    schema: { type: 'string', enum: ['true'] },
    description: 'An earlier request with the same `Idempotency-Key` created the object',
  },
  'ratelimit-limit': {
    schema: { type: 'integer' },
    description: 'How many such requests are allowed in a minute; absent where there is no limit',
  },
  'ratelimit-remaining': {
    schema: { type: 'integer' },
    description: 'How many of them are left',
  },
  'ratelimit-reset': {
    schema: { type: 'integer' },
    description: 'In how many seconds all of them are allowed again',
  },
  'www-authenticate': { schema: string, description: 'Always `Bearer`' },
};

const TAGGED = new Set(
  ['AgentTemplate', 'EnvTemplate', 'PlanTemplate'].map((name) => `#/components/schemas/${name}`),
);

/** Responses may gain fields. Only shapes that refuse unknown fields, such as request bodies, are closed. */
const allowMoreFields: Override = ({ zodSchema, jsonSchema }) => {
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined) {
    delete jsonSchema.additionalProperties;
  }
};

const options = { zodToJsonConfig: { override: allowMoreFields } };

export const toJsonSchema: SwaggerTransform = createJsonSchemaTransform(options);

const withSchemas = createJsonSchemaTransformObject(options);

export const completeDocument: SwaggerTransformObject = (source) => {
  const bare = withSchemas(source);
  const document: Document = JSON.parse(JSON.stringify(bare));
  const { schemas } = document.components;
  dropUnused(document, schemas);
  const codes = new Set<ErrorCode>();
  for (const operation of Object.values(document.paths).flatMap(Object.values<Operation>)) {
    const problems = operation['x-problems'] ?? [];
    for (const code of problems) codes.add(code);
    const located = operation['x-located'] ?? [];
    delete operation['x-problems'];
    delete operation['x-located'];
    for (const parameter of operation.parameters ?? []) completeParameter(parameter);
    if (operation.requestBody) completeBody(operation.requestBody, schemas);
    for (const [status, answer] of Object.entries(operation.responses)) {
      completeAnswer(Number(status), answer, { problems, located }, schemas);
    }
  }
  const examples = [...codes].toSorted().map((code) => [code, problemExample(code)]);
  document.components.schemas = inOrder(schemas);
  document.components.examples = Object.fromEntries(examples);
  document.components.headers = HEADERS;
  return Object.assign(bare, document);
};

/** Sorts the shapes by name, because the provider lists them in the order in which modules were loaded. */
function inOrder(schemas: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Drops unused shapes: the provider lists each named shape twice, for responses and for requests (`…Input`). */
function dropUnused(document: Document, schemas: Record<string, Schema>): void {
  let unused: string[];
  // A dropped shape may leave another one unused.
  do {
    const text = JSON.stringify(document);
    const isUnused = (name: string) => !text.includes(`"#/components/schemas/${name}"`);
    unused = Object.keys(schemas).filter(isUnused);
    for (const name of unused) delete schemas[name];
  } while (unused.length > 0);
}

/** The address has one parameter for each key of an object: `metadata[key]=value`. */
function completeParameter(parameter: Parameter): void {
  if (parameter.in !== 'query' || parameter.schema.type !== 'object') return;
  parameter.style = 'deepObject';
  parameter.explode = true;
}

function completeBody(body: Body, schemas: Record<string, Schema>): void {
  for (const media of Object.values(body.content)) {
    showExample(media, schemas);
    // A body that may be null may also be absent: `acceptJsonBodies` treats both alike.
    if (media.schema.anyOf?.some(({ type }) => type === 'null')) body.required = false;
  }
}

interface Declared {
  readonly problems: readonly ErrorCode[];
  readonly located: readonly number[];
}

function completeAnswer(
  status: number,
  answer: Answer,
  { problems, located }: Declared,
  schemas: Record<string, Schema>,
): void {
  const isUndescribed = answer.description === 'Default Response';
  const json = answer.content?.['application/json'];
  // A 201 with its own description, such as a token, is not an object with a path.
  const isLocated = located.includes(status) || (status === 201 && isUndescribed);
  answer.headers = {
    ...headersOf(status, problems, isLocated),
    ...(TAGGED.has(json?.schema.$ref ?? '') && headerReferences(['etag'])),
  };
  if (isUndescribed) answer.description = SUCCESSES[status] ?? '';
  for (const [type, media] of Object.entries(answer.content ?? {})) {
    if (type !== 'application/problem+json') showExample(media, schemas);
    else {
      const codes = problems.filter((code) => ERROR_CODES[code].status === status);
      const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
      media.examples = Object.fromEntries(examples);
    }
  }
}

function headersOf(status: number, problems: readonly ErrorCode[], isLocated: boolean): object {
  const hasKeys = problems.includes('idempotency_in_progress');
  const isTemporary = status === 429 || status === 503 || (status === 409 && hasKeys);
  const names: (keyof typeof HEADERS)[] = ['x-request-id'];
  if (isLocated) names.push('location');
  if (status === 401) names.push('www-authenticate');
  if (isTemporary) names.push('retry-after');
  if (hasKeys && (status === 201 || status === 202)) names.push('idempotent-replayed');
  const isLimited = problems.includes('too_many_requests');
  if (isLimited && (status < 300 || status === 429)) {
    names.push('ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset');
  }
  return headerReferences(names);
}

function headerReferences(names: readonly (keyof typeof HEADERS)[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function showExample(media: Media, schemas: Record<string, Schema>): void {
  const { $ref, examples } = media.schema;
  const named = $ref === undefined ? undefined : schemas[$ref.split('/').at(-1) ?? ''];
  const [example] = examples ?? named?.examples ?? [];
  if (example !== undefined) media.example ??= example;
}

function problemExample(code: ErrorCode): { summary: string; value: Problem } {
  const { status, title, detail } = ERROR_CODES[code];
  const requestId = '019ffb4e-8c12-7a54-9d3e-5b6a7c8d9e0f';
  const value = { type: `urn:problem:${code}`, title, status, detail, code, requestId };
  return { summary: title, value };
}
