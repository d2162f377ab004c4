import type { IssuedWebhook } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useRole } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { AdminsOnly } from '../../ui/admins-only.tsx';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { CardSkeleton } from '../../ui/skeleton.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { webhooksQuery } from './webhook-queries.ts';
import { WebhookRow } from './webhook-row.tsx';
import { NewWebhookSecret } from './webhook-secret.tsx';

export function WebhooksPage() {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId/webhooks' });
  const role = useRole(projectId);
  const [isCreating, setCreating] = useState(false);
  const [issued, setIssued] = useState<IssuedWebhook | null>(null);
  const mayManage = isAtLeast(role, 'ADMIN');
  const create = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden size={16} />}
      onClick={() => setCreating(true)}
    >
      Create a webhook
    </Button>
  );
  return (
    <Page>
      <PageHeader
        title="Webhooks"
        description="Sends the messages of this project to your own server, in order and signed."
        actions={mayManage ? create : undefined}
      />
      {issued ? <NewWebhookSecret issued={issued} onDone={() => setIssued(null)} /> : null}
      <AdminsOnly
        isAdmin={role === undefined ? undefined : mayManage}
        label="Webhooks"
        skeleton={<CardSkeleton rows={2} />}
        refusal={{
          title: 'Webhooks need an admin.',
          text: 'An admin or owner of the project creates them, and sees them here.',
        }}
      >
        <WebhookList projectId={projectId} />
      </AdminsOnly>
      <WebhookDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        projectId={projectId}
        webhook={null}
        onIssued={setIssued}
      />
    </Page>
  );
}

function WebhookList({ projectId }: { readonly projectId: string }) {
  const { client } = useService();
  const query = useQuery(webhooksQuery(client, projectId));
  return (
    <Loaded query={query} label="Webhooks" skeleton={<CardSkeleton rows={2} />}>
      {(webhooks) =>
        webhooks.length === 0 ? (
          <EmptyState title="No webhook yet.">
            A webhook is an address of your server, to which each message is sent as soon as it is
            stored.
          </EmptyState>
        ) : (
          <CardList>
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
          </CardList>
        )
      }
    </Loaded>
  );
}
