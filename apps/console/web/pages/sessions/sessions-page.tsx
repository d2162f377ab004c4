import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../../service/me.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { NameDialog } from '../../ui/name-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ProjectMenu } from '../projects/project-menu.tsx';
import { SessionList } from './session-list.tsx';
import { refreshLists, type SessionStatus } from './sessions-query.ts';
import { StatusFilter } from './status-filter.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/');

/** The sessions of a project, the newest first. */
export function SessionsPage() {
  const { projectId } = route.useParams();
  const membership = useMe()?.projectMemberships.find((own) => own.projectId === projectId);
  const [status, setStatus] = useState<SessionStatus>();
  return (
    <Page>
      <PageHeader
        title={membership?.project.name ?? 'Sessions'}
        actions={
          <>
            {membership ? <ProjectMenu membership={membership} /> : null}
            <NewSession projectId={projectId} />
          </>
        }
      />
      <div className="grid gap-3">
        <StatusFilter status={status} onChange={setStatus} />
        <SessionList
          key={`${projectId} ${status}`}
          projectId={projectId}
          status={status}
          onShowAll={() => setStatus(undefined)}
        />
      </div>
    </Page>
  );
}

function NewSession({ projectId }: { readonly projectId: string }) {
  const { client, queries } = useService();
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const create = async (name: string) => {
    const { id } = await client.sessions.create(projectId, { name });
    void refreshLists(queries, projectId);
    await navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
  };
  return (
    <>
      <Button variant="primary" icon={<Plus aria-hidden size={16} />} onClick={() => setOpen(true)}>
        New session
      </Button>
      <NameDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="New session"
        description="A session is a conversation. It is recorded from the first word."
        name="New conversation"
        maxLength={200}
        submitLabel="Create"
        onSubmit={create}
      />
    </>
  );
}
