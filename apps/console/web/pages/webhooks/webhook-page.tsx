import type { IssuedWebhook, Webhook } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useState } from 'react';
import { isMissing, useService } from '../../service/service.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Fact } from '../../ui/fact.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { MissingState } from '../../ui/missing-state.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { CardSkeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { webhookQuery } from './webhook-queries.ts';
import { WebhookStatus } from './webhook-row.tsx';
import { NewWebhookSecret } from './webhook-secret.tsx';
import { eventsText, failureText } from './webhook-texts.ts';

export function WebhookPage() {
  const { projectId, webhookId } = useParams({
    from: '/signed-in/projects/$projectId/webhooks/$webhookId',
  });
  const { client } = useService();
  const query = useQuery(webhookQuery(client, projectId, webhookId));
  if (isMissing(query.error)) return <MissingWebhook projectId={projectId} />;
  return (
    <Page>
      {query.data ? null : <h1 className="sr-only">Webhook</h1>}
      <Loaded query={query} label="The webhook" skeleton={<CardSkeleton rows={2} />}>
        {(webhook) => <WebhookView key={webhookId} webhook={webhook} />}
      </Loaded>
    </Page>
  );
}

function WebhookView({ webhook }: { readonly webhook: Webhook }) {
  const [issued, setIssued] = useState<IssuedWebhook | null>(null);
  const { projectId, url, description } = webhook;
  const failure = failureText(webhook);
  return (
    <>
      <div className="grid gap-2">
        <TextLink
          to="/projects/$projectId/webhooks"
          params={{ projectId }}
          className="inline-flex items-center gap-1 justify-self-start text-control"
        >
          <ChevronLeft aria-hidden size={14} /> Webhooks
        </TextLink>
        <PageHeader
          title={url}
          description={description || undefined}
          beside={<WebhookStatus webhook={webhook} />}
        />
        {failure ? <p className="max-w-180 text-ink-2 wrap-anywhere">{failure}</p> : null}
      </div>
      <WebhookActions webhook={webhook} onIssued={setIssued} />
      {issued ? <NewWebhookSecret issued={issued} onDone={() => setIssued(null)} /> : null}
      <Facts webhook={webhook} />
      <Deliveries webhook={webhook} />
    </>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  const { content, behind, createdAt } = webhook;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-control">
      <Fact name="Events">{eventsText(webhook)}</Fact>
      <Fact name="Content">
        {content === 'none' ? 'Only ids, roles and times' : 'With words and metadata'}
      </Fact>
      <Fact name="Waiting">
        {behind.since === null ? (
          'Nothing'
        ) : (
          <>
            Messages of {sessionsText(behind.sessions)}, the first stored <Time at={behind.since} />
          </>
        )}
      </Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
    </dl>
  );
}

function sessionsText(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}

function MissingWebhook({ projectId }: { readonly projectId: string }) {
  return (
    <MissingState
      title="This webhook is gone"
      action={
        <ButtonLink to="/projects/$projectId/webhooks" params={{ projectId }}>
          All webhooks
        </ButtonLink>
      }
    >
      It was deleted, or you are no longer a member of its project.
    </MissingState>
  );
}
