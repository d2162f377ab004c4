import type { AgentTemplate, AgentTemplateBody } from '@session/client';

type Tool = AgentTemplate['tools'][number];
type ToolBody = NonNullable<AgentTemplateBody['tools']>[number];
type Parameters = ToolBody['parameters'];

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface HeaderDraft {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

export interface ToolDraft {
  readonly key: number;
  readonly name: string;
  readonly description: string;
  readonly method: Tool['request']['method'];
  readonly url: string;
  readonly headers: readonly HeaderDraft[];
  readonly parameters: string;
  readonly kept: Pick<Tool, 'timeoutMs' | 'say' | 'onInterrupt' | 'record'>;
}

const PARAMETERS = { type: 'object', properties: {} };

export const NEW_TOOL: Omit<ToolDraft, 'key'> = {
  name: '',
  description: '',
  method: 'GET',
  url: '',
  headers: [],
  parameters: JSON.stringify(PARAMETERS, null, 2),
  kept: {},
};

export function toolDraftOf(tool: Tool, key: number): ToolDraft {
  const { name, description, parameters, request, ...kept } = tool;
  return {
    key,
    name,
    description,
    method: request.method,
    url: request.url,
    headers: headersDraft(request.headers),
    parameters: JSON.stringify(parameters, null, 2),
    kept,
  };
}

export function toolBody({ name, description, method, url, ...draft }: ToolDraft): ToolBody {
  const read = readParameters(draft.parameters);
  // The form is not sent while the parameters cannot be read.
  if (typeof read === 'string') throw new Error(read);
  return {
    ...draft.kept,
    name: name.trim(),
    description: description.trim(),
    parameters: read,
    request: {
      method,
      url: url.trim(),
      ...headersBody(draft.headers),
    },
  };
}

export function headersDraft(headers: Tool['request']['headers'] = {}): HeaderDraft[] {
  return Object.entries(headers).map(([name, value], key) => ({ key, name, value }));
}

export function headersBody(headers: readonly HeaderDraft[]): Pick<ToolBody['request'], 'headers'> {
  const named = headers.filter(({ name }) => name !== '');
  if (named.length === 0) return {};
  return { headers: Object.fromEntries(named.map(({ name, value }) => [name, value])) };
}

/**
 * Returns why the parameters of a tool cannot be read, as a sentence; null when they can. The API checks everything else
 * about them.
 */
export function parametersFault({ parameters }: Pick<ToolDraft, 'parameters'>): string | null {
  const read = readParameters(parameters);
  return typeof read === 'string' ? read : null;
}

function readParameters(text: string): Parameters | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value)
      ? value
      : 'An object is needed: { "type": "object", "properties": { … } }';
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function isObject(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
