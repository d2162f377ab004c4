import * as fc from 'fast-check';
import { AnswerCheck } from './answer-check.ts';
import { type Document, type Operation, operationsOf, type Schema } from './document.ts';
import { type GeneratedRequest, requestOf } from './generated-request.ts';
import { KnownValues } from './known-values.ts';
import { type Answer, Sender } from './send.ts';
import { type FuzzReport, Tally } from './tally.ts';

interface FuzzOptions {
  readonly document: Document;
  readonly url: string;
  readonly token: string;
  readonly seed: number;
  readonly requests: number;
  /** The run ends after this time, however many requests are left. */
  readonly maxMs?: number;
  /** The only values that parameters and fields with these names get. */
  readonly values?: Readonly<Record<string, readonly unknown[]>>;
  /** The ids of expensive operations, which are requested a tenth as often. */
  readonly rarely?: readonly string[];
  /** The ids of operations after which every answer would be the same. */
  readonly never?: readonly string[];
}

/** By the document, the API may hold a request for 25 s before it answers. */
const ANSWER_TIMEOUT_MS = 40_000;
const MAX_FAULTS = 10;

/**
 * Sends requests that are made from an OpenAPI document, and compares every answer with it. Ids and other values of
 * answers return in later requests. The same seed makes the same requests, as long as the API gives the same answers.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { document, maxMs = Number.POSITIVE_INFINITY, requests, seed, values = {} } = options;
  const known = new KnownValues();
  const sources = {
    resolve: (ref: string) => schemaOf(document, ref),
    named: (name: string) => known.named(name),
    given: (name: string) => values[name],
  };
  const check = new AnswerCheck(document);
  using sender = new Sender(options.url, ANSWER_TIMEOUT_MS);
  const tally = new Tally();
  const generated = fc.constantFrom(...weightedOperations(options)).chain((operation) =>
    // Made again for each request, with the values that are known by then.
    requestOf(operation, sources).map((request) => ({ operation, request })),
  );
  const deadline = performance.now() + maxMs;
  while (tally.sent < requests && tally.faults.length < MAX_FAULTS) {
    if (performance.now() > deadline) break;
    const [next] = fc.sample(generated, { seed: seed + tally.sent, numRuns: 1 });
    if (!next) throw new Error('the document has no operations');
    const { request } = next;
    const answer = await sender.send(request, tokenOf(request, options)).catch(failureOf);
    const fault = typeof answer === 'string' ? answer : check.faultOf({ ...next, answer });
    tally.add({ ...next, answer }, fault && `${fault}\n  ${sender.curl(request)}`);
    learn(known, request, answer);
  }
  return tally.report(seed);
}

function tokenOf({ token: choice }: GeneratedRequest, { token }: FuzzOptions): string {
  if (choice === 'none') return '';
  return choice === 'bad' ? `${token}x` : token;
}

/**
 * Returns each operation as often as its weight says. Objects are created more often than deleted, or there would be
 * none to request.
 */
function weightedOperations({ document, rarely = [], never = [] }: FuzzOptions): Operation[] {
  return operationsOf(document).flatMap((operation) => {
    if (never.includes(operation.id)) return [];
    const weight = operation.method === 'DELETE' ? 3 : 10;
    return Array<Operation>(rarely.includes(operation.id) ? 1 : weight).fill(operation);
  });
}

function schemaOf({ components }: Document, ref: string): Schema {
  const schema = components.schemas[ref.split('/').at(-1) ?? ''];
  if (!schema) throw new Error(`the document refers to ${ref}, which is not in it`);
  return schema;
}

function failureOf(error: unknown): string {
  return `no answer: ${String(error)}`;
}

function learn(known: KnownValues, request: GeneratedRequest, answer: Answer | string): void {
  if (typeof answer === 'string' || request.method === 'HEAD') return;
  const { body, headers, status } = answer;
  const [path = ''] = request.path.split('?');
  if (status === 404 || status === 204) known.forget(path);
  const isJson = /^application\/json\b/.test(String(headers['content-type']));
  if (status >= 300 || !isJson || body === '') return;
  const location = headers['location'];
  known.learn(path, typeof location === 'string' ? location : undefined, JSON.parse(body));
}
