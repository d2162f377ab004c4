import type { Erasure } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { useRole } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { AdminsOnly } from '../../ui/admins-only.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { EraseEndUserDialog } from './erase-end-user-dialog.tsx';
import { countsText, scopeText, statusOf } from './erasure-texts.ts';
import { erasuresQuery } from './erasures-query.ts';

export function ErasuresPage() {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId/erasures' });
  const role = useRole(projectId);
  const [isAsking, setAsking] = useState(false);
  const mayErase = isAtLeast(role, 'ADMIN');
  const erase = (
    <Button
      variant="primary"
      icon={<Eraser aria-hidden size={16} />}
      onClick={() => setAsking(true)}
    >
      Erase an end user
    </Button>
  );
  return (
    <Page>
      <PageHeader
        title="Erasures"
        description="Each erasure has a receipt that proves it. Messages, people and sessions are erased in the conversation, end users here."
        actions={mayErase ? erase : undefined}
      />
      <AdminsOnly
        isAdmin={role === undefined ? undefined : mayErase}
        label="Erasures"
        skeleton={<Skeletons />}
        refusal={{
          title: 'Erasures need an admin.',
          text: 'An admin or owner of the project erases, and sees the receipts here.',
        }}
      >
        <ErasureList projectId={projectId} />
      </AdminsOnly>
      <EraseEndUserDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        projectId={projectId}
      />
    </Page>
  );
}

function ErasureList({ projectId }: { readonly projectId: string }) {
  const { client } = useService();
  const query = useQuery(erasuresQuery(client, projectId));
  return (
    <Loaded query={query} label="Erasures" skeleton={<Skeletons />}>
      {(erasures) =>
        erasures.length === 0 ? (
          <EmptyState title="Nothing was erased yet.">
            Receipts appear here, with a digest of what has gone.
          </EmptyState>
        ) : (
          <CardList as="ol" label="Receipts">
            {erasures.map((erasure) => (
              <ErasureRow key={erasure.id} erasure={erasure} />
            ))}
          </CardList>
        )
      }
    </Loaded>
  );
}

function Skeletons() {
  return <Skeleton className="h-20 w-full" />;
}

function ErasureRow({ erasure }: { readonly erasure: Erasure }) {
  const { name, tone } = statusOf(erasure);
  const { id, counts, digest, requestedAt, backupsUntil } = erasure;
  return (
    <li className="grid gap-0.5 px-4 py-3">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 font-medium text-control wrap-anywhere">{scopeText(erasure)}</span>
        <Badge tone={tone}>{name}</Badge>
      </span>
      <span className="text-control text-ink-2">{countsText(erasure)} erased</span>
      {digest === null || counts.messages === 0 ? null : (
        <span className="flex min-w-0 items-center gap-1 text-ink-2 text-label">
          <span className="min-w-0 wrap-anywhere">
            SHA-256 <span className="font-mono">{digest}</span>
          </span>
          <CopyButton text={digest} label="Copy the digest" />
        </span>
      )}
      <span className="text-ink-3 text-label wrap-anywhere">
        Receipt <span className="font-mono">{id}</span>, asked for <Time at={requestedAt} />
        {backupsUntil === null ? null : (
          <>
            ; gone from backups <Time at={backupsUntil} />
          </>
        )}
      </span>
    </li>
  );
}
