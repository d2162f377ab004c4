import type { Webhook } from '@session/client';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';
import { eventsText, failureText, statusOf } from './webhook-texts.ts';

export function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { id, projectId, url, description, createdAt } = webhook;
  const failure = failureText(webhook);
  return (
    <li className="relative grid gap-0.5 px-4 py-3 transition-colors hover:bg-ink/3">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Link
          to="/projects/$projectId/webhooks/$webhookId"
          params={{ projectId, webhookId: id }}
          className="min-w-0 rounded-control font-medium text-control wrap-anywhere after:absolute after:inset-0 after:content-['']"
        >
          {url}
        </Link>
        <WebhookStatus webhook={webhook} />
      </span>
      {description ? (
        <span className="text-control text-ink-2 wrap-anywhere">{description}</span>
      ) : null}
      {failure ? <span className="text-control text-ink-2 wrap-anywhere">{failure}</span> : null}
      <span className="text-ink-3 text-label">
        {eventsText(webhook)} · Created <Time at={createdAt} />
      </span>
    </li>
  );
}

export function WebhookStatus({ webhook }: { readonly webhook: Webhook }) {
  const { name, tone } = statusOf(webhook);
  return <Badge tone={tone}>{name}</Badge>;
}
