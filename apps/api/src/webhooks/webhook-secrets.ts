import { randomBytes } from 'node:crypto';
import type { WebhookTarget } from '@session/db';

/** The prefix of secrets in Standard Webhooks (https://www.standardwebhooks.com). */
export const SECRET_PREFIX = 'whsec_';

export function newWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
}

/** Returns the secrets that sign now, the current one first; none when they could not be opened. */
export function secretsOf(
  opened: Readonly<Record<string, string>> | undefined,
  { previousUntil }: Pick<WebhookTarget, 'previousUntil'>,
): string[] {
  const { current, previous } = opened ?? {};
  const isKept = previousUntil !== null && Date.parse(previousUntil) > Date.now();
  return [current, isKept ? previous : undefined].filter((secret) => secret !== undefined);
}
