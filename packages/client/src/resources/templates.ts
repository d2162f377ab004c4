import type {
  EnvTemplate,
  EnvTemplateChange,
  NewEnvTemplate,
  NewPlanTemplate,
  PlanTemplate,
  PlanTemplateChange,
} from '@session/contract';
import type * as z from 'zod';
import {
  type CallOptions,
  type CreateOptions,
  changing,
  creating,
  ending,
  path,
  reading,
} from '../http/call.ts';
import { type ListOptions, listOf, type Page } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';

/** Environment templates: variables of agents. Their values are written, and never read back. */
export function envTemplatesOf(transport: Transport) {
  return {
    list: (projectId: string, options: ListOptions = {}) =>
      listOf(({ signal, ...query }) => {
        const all = path`/projects/${projectId}/env-templates`;
        return transport.json<Page<EnvTemplate>>({ ...reading({ signal }), path: all, query });
      }, options),
    /** Makes a template. Throws `name_taken`. */
    create: (projectId: string, body: z.input<typeof NewEnvTemplate>, options?: CreateOptions) => {
      const all = path`/projects/${projectId}/env-templates`;
      return transport.json<EnvTemplate>({ ...creating(options), path: all, body });
    },
    get: (id: string, options?: CallOptions) =>
      transport.json<EnvTemplate>({ ...reading(options), path: path`/env-templates/${id}` }),
    /** Changes a template: a variable that is not named stays, and one that is null is removed. */
    change: (id: string, body: z.input<typeof EnvTemplateChange>, options?: CallOptions) =>
      transport.json<EnvTemplate>({ ...changing(options), path: path`/env-templates/${id}`, body }),
    delete: (id: string, options?: CallOptions) =>
      transport.nothing({ ...ending(options), path: path`/env-templates/${id}` }),
  };
}

/** Plan templates: what agents are to do, step by step. */
export function planTemplatesOf(transport: Transport) {
  return {
    list: (projectId: string, options: ListOptions = {}) =>
      listOf(({ signal, ...query }) => {
        const all = path`/projects/${projectId}/plan-templates`;
        return transport.json<Page<PlanTemplate>>({ ...reading({ signal }), path: all, query });
      }, options),
    create: (projectId: string, body: z.input<typeof NewPlanTemplate>, options?: CreateOptions) => {
      const all = path`/projects/${projectId}/plan-templates`;
      return transport.json<PlanTemplate>({ ...creating(options), path: all, body });
    },
    get: (id: string, options?: CallOptions) =>
      transport.json<PlanTemplate>({ ...reading(options), path: path`/plan-templates/${id}` }),
    /** Changes a plan. Steps are replaced, all of them. */
    change: (id: string, body: z.input<typeof PlanTemplateChange>, options?: CallOptions) => {
      const call = { ...changing(options), path: path`/plan-templates/${id}`, body };
      return transport.json<PlanTemplate>(call);
    },
    delete: (id: string, options?: CallOptions) =>
      transport.nothing({ ...ending(options), path: path`/plan-templates/${id}` }),
  };
}
