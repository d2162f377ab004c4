import type { IssuedApiKey } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useRole } from '../../service/me.ts';
import { keyRoles } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { AdminsOnly } from '../../ui/admins-only.tsx';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { LoadingRegion } from '../../ui/loading-region.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { CardSkeleton } from '../../ui/skeleton.tsx';
import { membersQuery } from '../members/members-query.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { ExampleRequest } from './example-request.tsx';
import { KeyRow } from './key-row.tsx';
import { keysQuery } from './keys-query.ts';
import { NewSecret } from './new-secret.tsx';

export function KeysPage() {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId/keys' });
  const role = useRole(projectId);
  const [isCreating, setCreating] = useState(false);
  const [issued, setIssued] = useState<IssuedApiKey | null>(null);
  const mayManage = keyRoles(role).length > 0;
  const create = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden size={16} />}
      onClick={() => setCreating(true)}
    >
      Create a key
    </Button>
  );
  return (
    <Page>
      <PageHeader
        title="API keys"
        description="Your own backend calls the API with a key. A key works in this project alone."
        actions={mayManage ? create : undefined}
      />
      {issued ? (
        <NewSecret
          key={issued.secret}
          name={issued.name}
          secret={issued.secret}
          onDone={() => setIssued(null)}
        >
          <p className="text-control text-ink-2">A request with it, which lists the sessions:</p>
          <ExampleRequest projectId={projectId} secret={issued.secret} />
        </NewSecret>
      ) : null}
      <AdminsOnly
        isAdmin={role === undefined ? undefined : mayManage}
        label="API keys"
        skeleton={<CardSkeleton rows={2} />}
        refusal={{
          title: 'API keys need an admin.',
          text: 'An admin or owner of the project creates them, and sees them here.',
        }}
      >
        <KeyList projectId={projectId} role={role} onIssued={setIssued} />
      </AdminsOnly>
      <CreateKeyDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onIssued={setIssued}
        projectId={projectId}
        roles={keyRoles(role)}
      />
    </Page>
  );
}

interface KeyListProps {
  readonly projectId: string;
  readonly role: string | undefined;
  readonly onIssued: (issued: IssuedApiKey) => void;
}

function KeyList({ projectId, role, onIssued }: KeyListProps) {
  const { client } = useService();
  const query = useQuery(keysQuery(client, projectId));
  const members = useQuery(membersQuery(client, projectId));
  if (members.isPending) {
    return (
      <LoadingRegion label="API keys">
        <CardSkeleton rows={2} />
      </LoadingRegion>
    );
  }
  return (
    <Loaded query={query} label="API keys" skeleton={<CardSkeleton rows={2} />}>
      {(keys) =>
        keys.length === 0 ? (
          <EmptyState
            title="No API key yet."
            action={<ExampleRequest projectId={projectId} secret={null} />}
          >
            A key is for a server, not for a person or a page: with it your backend creates
            sessions, lets your users in, and reads histories. This request lists the sessions:
          </EmptyState>
        ) : (
          <CardList>
            {keys.map((apiKey) => (
              <KeyRow
                key={apiKey.id}
                apiKey={apiKey}
                members={members.data}
                ownRole={role}
                onIssued={onIssued}
              />
            ))}
          </CardList>
        )
      }
    </Loaded>
  );
}
