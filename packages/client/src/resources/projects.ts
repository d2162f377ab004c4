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
import type { Project, ProjectSummary } from '../shapes.ts';

export function projectsOf(transport: Transport) {
  return {
    list: (options?: ListOptions) => listOf<ProjectSummary>(transport, '/projects', options),
    create: (body: { readonly name: string }, options?: CreateOptions) =>
      transport.json<Project>(creating('/projects', body, options)),
    get: (id: string, options?: CallOptions) =>
      transport.json<Project>(reading(path`/projects/${id}`, options)),
    rename: (id: string, body: { readonly name: string }, options?: CallOptions) =>
      transport.json<Project>(changing(path`/projects/${id}`, body, options)),
    delete: (id: string, options?: CallOptions) =>
      transport.nothing(ending(path`/projects/${id}`, options)),
  };
}
