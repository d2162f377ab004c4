import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Document, Operation } from './document.ts';
import type { GeneratedRequest } from './generated-request.ts';
import type { Answer } from './send.ts';

const NAME = 'openapi.json';
const PROBLEM = 'application/problem+json';
/** Far above a page of the longest messages, far below what would hurt a client. */
const MOST_BYTES = 16 * 1_048_576;
/** What lies behind an answer: a line of a stack trace, a statement. */
const INSIDE = /\bat .+:\d+:\d+|\bselect\b.+\bfrom\b/i;

interface Exchange {
  readonly operation: Operation;
  readonly request: GeneratedRequest;
  readonly answer: Answer;
}

/** Compares answers with what the document says of them. */
export class AnswerCheck {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#ajv.addSchema(document, NAME);
  }

  /** Gives what is wrong with an answer in a sentence, or undefined. */
  faultOf(exchange: Exchange): string | undefined {
    const { answer, operation, request } = exchange;
    // Told before it is known what is asked for.
    if (answer.status === 431) return undefined;
    const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    const fault = generalFault(exchange) ?? this.#problemFault(exchange, type);
    if (fault !== undefined) return fault;
    const isMeant = request.method === operation.method && !isElsewhere(operation, request);
    return isMeant ? this.#documentFault(exchange, type) : strangerFault(answer);
  }

  #problemFault({ answer, request }: Exchange, type: string): string | undefined {
    const { body, headers, status } = answer;
    if (status < 400 || request.method === 'HEAD') return undefined;
    // A dependency that is down is told in the shape of the operation, where there is one.
    if (type !== PROBLEM) return status === 503 ? undefined : `${status} as ${type || 'nothing'}`;
    const problem: { status?: number; requestId?: string; detail?: string } = JSON.parse(body);
    if (problem.status !== status) return `${status}, and the problem says ${problem.status}`;
    if (problem.requestId !== headers['x-request-id']) return 'two request ids';
    if (!problem.detail) return `${status} that does not say what to do`;
    return INSIDE.test(body.slice(0, 4000)) ? `${status} that tells of our inside` : undefined;
  }

  #documentFault({ answer, operation }: Exchange, type: string): string | undefined {
    const { body: text, headers, status } = answer;
    if (status === 500) return '500';
    const described = operation.responses[String(status)];
    if (!described) return `the status ${status} is not documented`;
    const missing = Object.keys(described.headers ?? {}).find(
      (name) => headers[name] === undefined,
    );
    // Of the conflicts only those that pass say when to come back.
    if (missing !== undefined && !(missing === 'retry-after' && status === 409)) {
      return `${status} without the header ${missing}`;
    }
    if (!described.content) return text === '' ? undefined : `${status} with a body`;
    const media = described.content[type];
    if (!media) return `the type ${type} of ${status} is not documented`;
    if (!type.endsWith('json')) return undefined;
    const body: unknown = JSON.parse(text);
    const { code }: { code?: string } = Object(body);
    if (type === PROBLEM && !(String(code) in (media.examples ?? {}))) {
      return `the code ${code} of ${status} is not documented`;
    }
    const { method, path } = operation;
    const answers = ['paths', path, method.toLowerCase(), 'responses', `${status}`];
    return this.#schemaFault([...answers, 'content', type, 'schema'], body);
  }

  #schemaFault(place: readonly string[], body: unknown): string | undefined {
    const pointer = place.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const $ref = `${NAME}#/${pointer.join('/')}`;
    const validate = this.#validators.get($ref) ?? this.#ajv.compile({ $ref });
    this.#validators.set($ref, validate);
    if (validate(body)) return undefined;
    return `the body is not as documented: ${this.#ajv.errorsText(validate.errors)}`;
  }
}

/** What holds for every answer. */
function generalFault({ answer, operation, request }: Exchange): string | undefined {
  const { body, headers, status } = answer;
  if (body.length > MOST_BYTES) return `an answer of ${body.length} bytes`;
  if (headers['x-request-id'] === undefined) return 'no x-request-id';
  const isStrange = request.token !== 'valid' && operation.needsToken;
  return isStrange && status !== 401 && status < 405
    ? `${status} without a valid token`
    : undefined;
}

/** Another method than the operation's, or a path that is not its path any more. */
function strangerFault({ headers, status }: Answer): string | undefined {
  if (status >= 500) return `${status} for what is no operation`;
  return status === 405 && headers['allow'] === undefined ? '405 without Allow' : undefined;
}

/** An empty part of a path makes it another's, or nobody's. */
function isElsewhere({ path }: Operation, request: GeneratedRequest): boolean {
  const [asked = ''] = request.path.split('?');
  return path !== '/' && asked.split('/').slice(1).includes('');
}
