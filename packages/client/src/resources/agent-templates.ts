import {
  type CallOptions,
  type CreateOptions,
  changing,
  creating,
  ending,
  path,
  posting,
  reading,
} from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type {
  AgentTemplate,
  AgentTemplateBody,
  AgentTemplateChangeBody,
  AgentTemplateVersion,
  ListedAgentTemplate,
  ListedAgentTemplateVersion,
  ToolTrial,
  ToolTrialBody,
} from '../shapes.ts';

/** Returns the calls for agent templates: who an agent is and what it can do, in versions. They contain no secrets. */
export function agentTemplatesOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<ListedAgentTemplate>(transport, path`/projects/${projectId}/agent-templates`, options),
    create: (projectId: string, body: AgentTemplateBody, options?: CreateOptions) =>
      transport.json<AgentTemplate>(
        creating(path`/projects/${projectId}/agent-templates`, body, options),
      ),
    get: (id: string, options?: CallOptions) =>
      transport.json<AgentTemplate>(reading(path`/agent-templates/${id}`, options)),
    /**
     * Stores a new version. Omitted fields stay, null removes a field, and `restore` brings back a former version. With
     * `version`, throws `changed_meanwhile` if the template has another one.
     */
    change: (id: string, body: AgentTemplateChangeBody, options?: CallOptions) => {
      const call = changing(path`/agent-templates/${id}`, body, options);
      // Repeating a change that was stored would throw `changed_meanwhile`.
      const retry = body.version === undefined ? call.retry : 'refused';
      return transport.json<AgentTemplate>({ ...call, retry });
    },
    /** Returns the stored versions, the newest first. */
    versions: (id: string, options?: ListOptions) =>
      listOf<ListedAgentTemplateVersion>(transport, path`/agent-templates/${id}/versions`, options),
    version: (id: string, version: number, options?: CallOptions) =>
      transport.json<AgentTemplateVersion>(
        reading(path`/agent-templates/${id}/versions/${String(version)}`, options),
      ),
    /** Calls an HTTP tool of the stored template once, from the API, and returns the result that a model would read. */
    tryTool: (id: string, name: string, body: ToolTrialBody = {}, options?: CallOptions) =>
      transport.json<ToolTrial>({
        ...posting(path`/agent-templates/${id}/tools/${name}/try`, body, options),
        // The longest timeout of a tool, and a margin.
        waitMs: 35_000,
      }),
    /** Deletes a template with all its versions. Throws `template_in_use` while agents run with it. */
    delete: (id: string, options?: CallOptions) =>
      transport.nothing(ending(path`/agent-templates/${id}`, options)),
  };
}
