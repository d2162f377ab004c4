import type { AgentTemplate, AgentTemplateBody } from '@session/client';
import { type HeaderDraft, headersBody, headersDraft } from './tool-draft.ts';

type Server = AgentTemplate['mcpServers'][number];
type ServerBody = NonNullable<AgentTemplateBody['mcpServers']>[number];

export interface McpDraft {
  readonly key: number;
  readonly name: string;
  readonly url: string;
  readonly headers: readonly HeaderDraft[];
  /** One tool per line: its name, then its digest, if any. */
  readonly tools: string;
  readonly kept: Pick<Server, 'timeoutMs'>;
}

export const NEW_SERVER: Omit<McpDraft, 'key'> = {
  name: '',
  url: '',
  headers: [],
  tools: '',
  kept: {},
};

export function mcpDraftOf({ name, url, headers, tools, ...kept }: Server, key: number): McpDraft {
  const lines = tools.map((tool) => (tool.digest ? `${tool.name} ${tool.digest}` : tool.name));
  return { key, name, url, headers: headersDraft(headers), tools: lines.join('\n'), kept };
}

export function mcpBody({ name, url, headers, tools, kept }: McpDraft): ServerBody {
  return {
    ...kept,
    name: name.trim(),
    url: url.trim(),
    ...headersBody(headers),
    tools: tools.split('\n').flatMap((line) => toolIn(line.trim())),
  };
}

/** A name may contain spaces, and a digest begins with `sha256:`. */
function toolIn(line: string): ServerBody['tools'] {
  if (line === '') return [];
  const [, name = line, digest] = /^(.*\S)\s+(sha256:\S*)$/.exec(line) ?? [];
  return [{ name, ...(digest !== undefined && { digest }) }];
}
