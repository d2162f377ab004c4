import {
  type CallOptions,
  type CreateOptions,
  changing,
  creating,
  ending,
  path,
  reading,
} from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type {
  EnvTemplate,
  EnvTemplateBody,
  EnvTemplateChangeBody,
  PlanTemplate,
  PlanTemplateBody,
  PlanTemplateChangeBody,
} from '../shapes.ts';

export interface TemplateChangeOptions extends CallOptions {
  /** Throws `changed_meanwhile` if the template has another version. */
  readonly version?: number | undefined;
}

/** Returns the calls for environment templates: variables for agents. Values can be written, but never read back. */
export function envTemplatesOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<EnvTemplate>(transport, path`/projects/${projectId}/env-templates`, options),
    create: (projectId: string, body: EnvTemplateBody, options?: CreateOptions) =>
      transport.json<EnvTemplate>(
        creating(path`/projects/${projectId}/env-templates`, body, options),
      ),
    get: (id: string, options?: CallOptions) =>
      transport.json<EnvTemplate>(reading(path`/env-templates/${id}`, options)),
    /** Changes a template. Omitted variables stay; null removes a variable. */
    change: (id: string, body: EnvTemplateChangeBody, options?: TemplateChangeOptions) =>
      transport.json<EnvTemplate>(changingVersion(path`/env-templates/${id}`, body, options)),
    delete: (id: string, options?: CallOptions) =>
      transport.nothing(ending(path`/env-templates/${id}`, options)),
  };
}

export function planTemplatesOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<PlanTemplate>(transport, path`/projects/${projectId}/plan-templates`, options),
    create: (projectId: string, body: PlanTemplateBody, options?: CreateOptions) =>
      transport.json<PlanTemplate>(
        creating(path`/projects/${projectId}/plan-templates`, body, options),
      ),
    get: (id: string, options?: CallOptions) =>
      transport.json<PlanTemplate>(reading(path`/plan-templates/${id}`, options)),
    /** Changes a plan. New steps replace all old ones. */
    change: (id: string, body: PlanTemplateChangeBody, options?: TemplateChangeOptions) =>
      transport.json<PlanTemplate>(changingVersion(path`/plan-templates/${id}`, body, options)),
    delete: (id: string, options?: CallOptions) =>
      transport.nothing(ending(path`/plan-templates/${id}`, options)),
  };
}

function changingVersion(address: string, body: object, options: TemplateChangeOptions = {}) {
  const { version } = options;
  const call = changing(address, body, options);
  if (version === undefined) return call;
  // Repeating a change that was stored would throw `changed_meanwhile`.
  return { ...call, retry: 'refused', header: ['if-match', `"${version}"`] } as const;
}
