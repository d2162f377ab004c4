import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../../service/me.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ProjectMenu } from '../projects/project-menu.tsx';
import { NewSession } from './new-session.tsx';
import { filtersOf, type SessionFilters } from './session-filters.ts';
import { SessionList } from './session-list.tsx';
import { SessionSearch } from './session-search.tsx';
import { useSessions } from './use-sessions.ts';

const route = getRouteApi('/signed-in/projects/$projectId/');

export function SessionsPage() {
  const { projectId } = route.useParams();
  const membership = useMe()?.projectMemberships.find((own) => own.projectId === projectId);
  const [isNaming, setNaming] = useState(false);
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
      <SearchedSessions key={projectId} projectId={projectId} />
      <NewSession projectId={projectId} isOpen={isNaming} onClose={() => setNaming(false)} />
    </Page>
  );
}

function SearchedSessions({ projectId }: { readonly projectId: string }) {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const { sessions } = useSessions(projectId);
  const show = (search: (before: SessionFilters) => SessionFilters) =>
    void navigate({ search, replace: true, resetScroll: false });
  const clear = () => show(() => ({}));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <div className="grid gap-3">
      {sessions?.length === 0 && !isFiltered ? null : (
        <SessionSearch
          filters={filters}
          onChange={(changed) => show((before) => filtersOf({ ...before, ...changed }))}
          onClear={clear}
        />
      )}
      <SessionList projectId={projectId} filters={filters} onClear={clear} />
    </div>
  );
}
