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

/** Environment templates: variables for agents. Values can be written, and never read back. */
export function envTemplatesOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<EnvTemplate>(transport, path`/projects/${projectId}/env-templates`, options),
    /** Creates a template. Throws `name_taken`. */
    create: (projectId: string, body: EnvTemplateBody, options?: CreateOptions) => {
      const all = path`/projects/${projectId}/env-templates`;
      return transport.json<EnvTemplate>({ ...creating(options), path: all, body });
    },
    get: (id: string, options?: CallOptions) =>
      transport.json<EnvTemplate>({ ...reading(options), path: path`/env-templates/${id}` }),
    /** Changes a template. A variable that is not named stays; null removes a variable. */
    change: (id: string, body: EnvTemplateChangeBody, options?: CallOptions) =>
      transport.json<EnvTemplate>({ ...changing(options), path: path`/env-templates/${id}`, body }),
    delete: (id: string, options?: CallOptions) =>
      transport.nothing({ ...ending(options), path: path`/env-templates/${id}` }),
  };
}

/** Plan templates: what agents do, step by step. */
export function planTemplatesOf(transport: Transport) {
  return {
    list: (projectId: string, options?: ListOptions) =>
      listOf<PlanTemplate>(transport, path`/projects/${projectId}/plan-templates`, options),
    create: (projectId: string, body: PlanTemplateBody, options?: CreateOptions) => {
      const all = path`/projects/${projectId}/plan-templates`;
      return transport.json<PlanTemplate>({ ...creating(options), path: all, body });
    },
    get: (id: string, options?: CallOptions) =>
      transport.json<PlanTemplate>({ ...reading(options), path: path`/plan-templates/${id}` }),
    /** Changes a plan. New steps replace all old ones. */
    change: (id: string, body: PlanTemplateChangeBody, options?: CallOptions) => {
      const call = { ...changing(options), path: path`/plan-templates/${id}`, body };
      return transport.json<PlanTemplate>(call);
    },
    delete: (id: string, options?: CallOptions) =>
      transport.nothing({ ...ending(options), path: path`/plan-templates/${id}` }),
  };
}
