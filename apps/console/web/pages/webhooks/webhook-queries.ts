import type { Webhook, WebhookDelivery } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { BY_CURSOR, projectList } from '../../service/queries.ts';

const MAX_WEBHOOKS = 100;
const PAGE_SIZE = 50;
const INTERVAL_MS = 10_000;

const keyOf = (projectId: string) => ['project', projectId, 'webhooks'];

export function webhooksQuery({ webhooks }: AdminClient, projectId: string) {
  const options = { max: MAX_WEBHOOKS, refetchInterval: INTERVAL_MS };
  return projectList(projectId, 'webhooks', webhooks.list, options);
}

export function webhookQuery(client: AdminClient, projectId: string, id: string) {
  return queryOptions({
    queryKey: [...keyOf(projectId), id],
    queryFn: ({ signal }): Promise<Webhook> => client.webhooks.get(id, { signal }),
    refetchInterval: INTERVAL_MS,
  });
}

interface DeliveryPage {
  readonly items: readonly WebhookDelivery[];
  readonly nextCursor: string | null;
}

export function deliveriesQuery(client: AdminClient, projectId: string, id: string) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(projectId), id, 'deliveries'],
    queryFn: async ({ pageParam, signal }): Promise<DeliveryPage> =>
      await client.webhooks.deliveries(id, { limit: PAGE_SIZE, cursor: pageParam, signal }),
    ...BY_CURSOR,
    refetchInterval: INTERVAL_MS,
  });
}
