import type { Client } from '@session/client';
import type { EnvTemplate, PlanTemplate } from '@session/contract';
import { queryOptions } from '@tanstack/react-query';

/** More templates than a project has. */
const MAX_TEMPLATES = 500;
const PAGE = 100;

export function envTemplatesQuery(client: Client, projectId: string) {
  return queryOptions({
    queryKey: ['project', projectId, 'env-templates'],
    queryFn: ({ signal }): Promise<EnvTemplate[]> =>
      client.envTemplates
        .list(projectId, { limit: PAGE, signal })
        .toArray({ limit: MAX_TEMPLATES }),
  });
}

export function plansQuery(client: Client, projectId: string) {
  return queryOptions({
    queryKey: ['project', projectId, 'plan-templates'],
    queryFn: ({ signal }): Promise<PlanTemplate[]> =>
      client.planTemplates
        .list(projectId, { limit: PAGE, signal })
        .toArray({ limit: MAX_TEMPLATES }),
  });
}
