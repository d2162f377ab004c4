import { Id, type Webhook } from '@session/contract';
import type { WebhookRow } from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import { refusalOfUrl } from '../../webhooks/webhook-request.ts';

export const webhookParams = z.object({ id: Id });

export const WEBHOOKS_PER_PROJECT = 20;

export function webhookOf({
  behindSessions,
  behindSince,
  events,
  ...webhook
}: WebhookRow): Webhook {
  return {
    ...webhook,
    events: [...events],
    behind: { sessions: behindSessions, since: behindSince },
  };
}

/** Returns the URL in its stored form. Throws `invalid_webhook_url` for a URL to which nothing may be sent. */
export function checkedUrl(url: string, networks: readonly string[]): string {
  const refusal = refusalOfUrl(url, networks);
  // Stored as it is parsed for sending. In other spellings, it is not clear where the host ends.
  if (refusal === undefined) return new URL(url).href;
  const detail = `${refusal.charAt(0).toUpperCase()}${refusal.slice(1)}: send the https URL of a server that the Internet reaches.`;
  throw new AppError('invalid_webhook_url', 'the URL of the webhook is refused', { detail });
}
