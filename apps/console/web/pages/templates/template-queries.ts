import type {
  AgentTemplate,
  AgentTemplateVersion,
  Client,
  ListedAgentTemplateVersion,
} from '@session/client';
import type { AdminClient } from '@session/client/admin';
import type { EnvTemplate, PlanTemplate } from '@session/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { projectList, refreshProjectList } from '../../service/queries.ts';

export type TemplateKind = 'agent' | 'env' | 'plan';

const MAX_TEMPLATES = 500;
const PAGE = 100;
const LISTED = { max: MAX_TEMPLATES, page: PAGE };
/** A form must not begin with an older version. The longest `gcTime` of a key counts, so all its readers need this one. */
const FOR_FORM = { gcTime: 0 } as const;

export function envTemplatesQuery({ envTemplates }: Client, projectId: string) {
  return projectList(projectId, 'env-templates', envTemplates.list, LISTED);
}

export function envTemplateQuery(client: Client, id: string) {
  return queryOptions({
    queryKey: ['env-template', id],
    queryFn: ({ signal }): Promise<EnvTemplate> => client.envTemplates.get(id, { signal }),
    ...FOR_FORM,
  });
}

export function plansQuery({ planTemplates }: Client, projectId: string) {
  return projectList(projectId, 'plan-templates', planTemplates.list, LISTED);
}

export function planQuery(client: Client, id: string) {
  return queryOptions({
    queryKey: ['plan-template', id],
    queryFn: ({ signal }): Promise<PlanTemplate> => client.planTemplates.get(id, { signal }),
    ...FOR_FORM,
  });
}

export function agentTemplatesQuery({ agentTemplates }: AdminClient, projectId: string) {
  return projectList(projectId, 'agent-templates', agentTemplates.list, LISTED);
}

export function agentTemplateQuery(client: AdminClient, id: string) {
  return queryOptions({
    queryKey: ['agent-template', id],
    queryFn: ({ signal }): Promise<AgentTemplate> => client.agentTemplates.get(id, { signal }),
    ...FOR_FORM,
  });
}

export function agentVersionsQuery(client: AdminClient, id: string) {
  return queryOptions({
    queryKey: ['agent-template', id, 'versions'],
    queryFn: ({ signal }): Promise<ListedAgentTemplateVersion[]> =>
      client.agentTemplates.versions(id, { limit: PAGE, signal }).toArray({ limit: MAX_TEMPLATES }),
  });
}

export function agentVersionQuery(client: AdminClient, id: string, version: number) {
  return queryOptions({
    queryKey: ['agent-template', id, 'versions', version],
    queryFn: ({ signal }): Promise<AgentTemplateVersion> =>
      client.agentTemplates.version(id, version, { signal }),
  });
}

/** Reads a changed template again: in the list of its project, and alone. */
export async function refreshTemplate(
  queries: QueryClient,
  kind: TemplateKind,
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<void> {
  await Promise.all([
    refreshProjectList(queries, projectId, `${kind}-templates`),
    queries.invalidateQueries({ queryKey: [`${kind}-template`, id] }),
  ]);
}
