import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Document, Operation } from './document.ts';
import type { GeneratedRequest } from './generated-request.ts';
import type { Answer } from './send.ts';

const DOCUMENT_NAME = 'openapi.json';
const PROBLEM_TYPE = 'application/problem+json';
/** Far more than a page of the longest messages, far less than would harm a client. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
/** Internals that no answer may reveal: a line of a stack trace, an SQL statement. */
const INTERNALS =
  /\bat (?:(?:async|new) )?(?:\S+ )?(?:\[as \S+\] )?\(?\S+:\d+:\d+|\bselect\b.+\bfrom\b/i;

interface Exchange {
  readonly operation: Operation;
  readonly request: GeneratedRequest;
  readonly answer: Answer;
}

export class AnswerCheck {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#ajv.addSchema(document, DOCUMENT_NAME);
  }

  faultOf(exchange: Exchange): string | undefined {
    const { answer, operation, request } = exchange;
    // The server answers 431 before it knows which operation is requested.
    if (answer.status === 431) return undefined;
    const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    const fault = generalFault(exchange) ?? this.#problemFault(exchange, type);
    if (fault !== undefined) return fault;
    const matchesOperation =
      request.method === operation.method && !hasEmptySegment(operation, request);
    return matchesOperation ? this.#documentFault(exchange, type) : otherFault(answer);
  }

  #problemFault({ answer, request }: Exchange, type: string): string | undefined {
    const { body, headers, status } = answer;
    if (status < 400 || request.method === 'HEAD') return undefined;
    // Some operations report an unavailable dependency by an answer with status 503 that is not a problem.
    if (type !== PROBLEM_TYPE)
      return status === 503 ? undefined : `${status} as ${type || 'nothing'}`;
    const problem: { status?: number; requestId?: string; detail?: string } = JSON.parse(body);
    if (problem.status !== status) return `${status}, but the problem says ${problem.status}`;
    if (problem.requestId !== headers['x-request-id']) return 'two request ids';
    if (!problem.detail) return `${status} that does not say what to do`;
    return INTERNALS.test(body.slice(0, 4000)) ? `${status} that reveals internals` : undefined;
  }

  #documentFault({ answer, operation }: Exchange, type: string): string | undefined {
    const { body: text, headers, status } = answer;
    if (status === 500) return '500';
    const described = operation.responses[String(status)];
    if (!described) return `the status ${status} is not documented`;
    const missing = Object.keys(described.headers ?? {}).find(
      (name) => headers[name] === undefined && !isOptional(name, status),
    );
    if (missing !== undefined) {
      return `${status} without the header ${missing}`;
    }
    if (!described.content) return text === '' ? undefined : `${status} with a body`;
    const media = described.content[type];
    if (!media) return `the type ${type} of ${status} is not documented`;
    if (!type.endsWith('json')) return undefined;
    const body: unknown = JSON.parse(text);
    const { code }: { code?: string } = Object(body);
    if (type === PROBLEM_TYPE && !(String(code) in (media.examples ?? {}))) {
      return `the code ${code} of ${status} is not documented`;
    }
    const { method, path } = operation;
    const pathToContent = ['paths', path, method.toLowerCase(), 'responses', `${status}`];
    return this.#schemaFault([...pathToContent, 'content', type, 'schema'], body);
  }

  #schemaFault(schemaPath: readonly string[], body: unknown): string | undefined {
    const pointer = schemaPath.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const $ref = `${DOCUMENT_NAME}#/${pointer.join('/')}`;
    const validate = this.#validators.get($ref) ?? this.#ajv.compile({ $ref });
    this.#validators.set($ref, validate);
    if (validate(body)) return undefined;
    return `the body is not as documented: ${this.#ajv.errorsText(validate.errors)}`;
  }
}

function generalFault({ answer, operation, request }: Exchange): string | undefined {
  const { body, headers, status } = answer;
  if (body.length > MAX_ANSWER_BYTES) return `an answer of ${body.length} bytes`;
  if (headers['x-request-id'] === undefined) return 'no x-request-id';
  const lacksToken = request.token !== 'valid' && operation.needsToken;
  return lacksToken && status !== 401 && status < 405
    ? `${status} without a valid token`
    : undefined;
}

function otherFault({ headers, status }: Answer): string | undefined {
  if (status >= 500) return `${status} for a request to no operation`;
  return status === 405 && headers['allow'] === undefined ? '405 without Allow' : undefined;
}

/** Whether the path has an empty segment: it is then the path of another operation, or of none. */
function hasEmptySegment({ path }: Operation, request: GeneratedRequest): boolean {
  const [asked = ''] = request.path.split('?');
  return path !== '/' && asked.split('/').slice(1).includes('');
}

/** Only repeats, limited routes and temporary conflicts have these headers. */
function isOptional(name: string, status: number): boolean {
  if (name === 'retry-after') return status === 409;
  return name === 'idempotent-replayed' || name.startsWith('ratelimit-');
}
