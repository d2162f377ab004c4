import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../../service/me.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ProjectMenu } from '../projects/project-menu.tsx';
import { NewSession } from './new-session.tsx';
import { SessionList } from './session-list.tsx';
import type { ListedStatus } from './sessions-query.ts';
import { StatusFilter } from './status-filter.tsx';
import { useSessions } from './use-sessions.ts';

const route = getRouteApi('/signed-in/projects/$projectId/');

export function SessionsPage() {
  const { projectId } = route.useParams();
  const membership = useMe()?.projectMemberships.find((own) => own.projectId === projectId);
  const [status, setStatus] = useState<ListedStatus>();
  const [isNaming, setNaming] = useState(false);
  const { sessions } = useSessions(projectId);
  return (
    <Page>
      <PageHeader
        title={membership?.project.name ?? 'Sessions'}
        actions={
          <>
            <Button
              variant="primary"
              icon={<Plus aria-hidden size={16} />}
              onClick={() => setNaming(true)}
            >
              New session
            </Button>
            {membership ? <ProjectMenu membership={membership} /> : null}
          </>
        }
      />
      <div className="grid gap-3">
        {sessions?.length === 0 ? null : <StatusFilter status={status} onChange={setStatus} />}
        <SessionList
          key={`${projectId} ${status}`}
          projectId={projectId}
          status={status}
          onShowAll={() => setStatus(undefined)}
        />
      </div>
      <NewSession projectId={projectId} isOpen={isNaming} onClose={() => setNaming(false)} />
    </Page>
  );
}
