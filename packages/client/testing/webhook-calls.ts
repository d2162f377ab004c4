import type { MethodCall } from './calls.ts';

export const WEBHOOK_CALLS = {
  'webhooks.create': {
    operationId: 'createWebhook',
    call: (client, { projectId }) =>
      client.webhooks.create(projectId, { url: 'https://hook.invalid/conversations' }),
  },
  'webhooks.list': {
    operationId: 'listWebhooks',
    call: (client, { projectId }) => client.webhooks.list(projectId),
  },
  'webhooks.get': {
    operationId: 'getWebhook',
    call: (client, { webhookId }) => client.webhooks.get(webhookId),
  },
  'webhooks.change': {
    operationId: 'changeWebhook',
    call: (client, { webhookId }) => client.webhooks.change(webhookId, { content: 'none' }),
  },
  'webhooks.rotateSecret': {
    operationId: 'rotateWebhookSecret',
    call: (client, { webhookId }) => client.webhooks.rotateSecret(webhookId),
  },
  'webhooks.test': {
    operationId: 'testWebhook',
    call: (client, { webhookId }) => client.webhooks.test(webhookId),
  },
  'webhooks.deliveries': {
    operationId: 'listDeliveries',
    call: (client, { webhookId }) => client.webhooks.deliveries(webhookId),
  },
  'webhooks.redeliver': {
    operationId: 'redeliver',
    call: (client, { webhookId, deliveryId }) => client.webhooks.redeliver(webhookId, deliveryId),
  },
  'webhooks.replay': {
    operationId: 'replayWebhook',
    call: (client, { webhookId }) =>
      client.webhooks.replay(webhookId, { since: '2026-01-01T00:00:00Z' }),
  },
  'webhooks.delete': {
    operationId: 'deleteWebhook',
    call: (client, { webhookId }) => client.webhooks.delete(webhookId),
  },
} as const satisfies Readonly<Record<string, MethodCall>>;
