import { randomBytes } from 'node:crypto';
import type { WebhookTarget } from '@session/db';
import * as z from 'zod';

export const SECRET_PREFIX = 'whsec_';

/** Each further signature makes a request 48 bytes longer. */
const MAX_FORMER = 5;
const HOUR_MS = 3_600_000;

type Opened = Readonly<Record<string, string>> | undefined;
type KeptUntil = Pick<WebhookTarget, 'previousUntil'>;

/** The newest first. `until`: milliseconds since 1970. */
const FormerSecrets = z.array(z.object({ secret: z.string(), until: z.number() }));
type FormerSecrets = z.infer<typeof FormerSecrets>;

export function newWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
}

/** Returns the secrets that sign now, the current one first; none when they could not be opened. */
export function secretsOf(opened: Opened, target: KeptUntil): string[] {
  const { current } = opened ?? {};
  const former = formerOf(opened, target).map(({ secret }) => secret);
  return current === undefined ? former : [current, ...former];
}

/**
 * Returns what to seal when `secret` replaces the current one, which then signs for `keepOldHours`. Older secrets sign
 * until the times that were set for them. With 0 hours, only `secret` signs.
 */
export function replacedSecrets(
  opened: Opened,
  target: KeptUntil,
  secret: string,
  keepOldHours: number,
): Record<string, string> {
  const { current } = opened ?? {};
  if (current === undefined || keepOldHours === 0) return { current: secret };
  const newest = { secret: current, until: Date.now() + keepOldHours * HOUR_MS };
  const former = [newest, ...formerOf(opened, target)].slice(0, MAX_FORMER);
  // During a rolling update, a process of the previous release reads `previous` and the column for its end.
  return { current: secret, previous: current, former: JSON.stringify(former) };
}

/** Returns the former secrets that have not ended. The previous release sealed a single secret instead of a list. */
function formerOf(opened: Opened, { previousUntil }: KeptUntil): FormerSecrets {
  const { previous, former } = opened ?? {};
  const only = { secret: previous ?? '', until: Date.parse(previousUntil ?? '') };
  const listed = former === undefined ? [only] : FormerSecrets.parse(JSON.parse(former));
  return listed.filter(({ secret, until }) => secret !== '' && until > Date.now());
}
