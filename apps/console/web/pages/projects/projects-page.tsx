import type { Me } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router';
import { ChevronRight, Plus } from 'lucide-react';
import { useState } from 'react';
import { meQuery } from '../../service/me.ts';
import { roleName } from '../../service/permissions.ts';
import { ME_KEY } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { NameDialog } from '../../ui/name-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StartTalkingState } from '../sessions/start-talking-state.tsx';
import { ProjectMenu } from './project-menu.tsx';

const route = getRouteApi('/signed-in/');

type Membership = Me['projectMemberships'][number];

export function ProjectsPage() {
  const { client } = useService();
  const { all = false } = route.useSearch();
  const query = useQuery(meQuery(client));
  const [only, ...others] = query.data?.projectMemberships ?? [];
  if (only && others.length === 0 && !all) {
    return <Navigate to="/projects/$projectId" params={{ projectId: only.projectId }} replace />;
  }
  return (
    <Page>
      <PageHeader title="Projects" actions={<NewProject />} />
      <Loaded query={query} label="projects" skeleton={<ProjectSkeletons />} isQuiet>
        {(me) => <ProjectList memberships={me.projectMemberships} />}
      </Loaded>
    </Page>
  );
}

function ProjectList({ memberships }: { readonly memberships: readonly Membership[] }) {
  if (memberships.length === 0) {
    return (
      <StartTalkingState title="No project yet.">
        A project holds conversations, and the people who may read them. Start talking to make your
        first one with the echo agent, which needs no keys.
      </StartTalkingState>
    );
  }
  return (
    <CardList label="Projects">
      {memberships.map((membership) => (
        <ProjectRow key={membership.projectId} membership={membership} />
      ))}
    </CardList>
  );
}

function ProjectRow({ membership }: { readonly membership: Membership }) {
  const { projectId, project, role } = membership;
  return (
    <li className="relative flex min-h-14 items-center gap-3 py-2 pr-2 pl-4 transition-colors hover:bg-sunken/70">
      <h2 className="min-w-0 flex-1 truncate font-medium text-body">
        <Link
          to="/projects/$projectId"
          params={{ projectId }}
          className="after:absolute after:inset-0"
        >
          {project.name}
        </Link>
      </h2>
      <Badge>{roleName(role)}</Badge>
      <div className="relative">
        <ProjectMenu membership={membership} />
      </div>
      <ChevronRight aria-hidden size={16} className="text-ink-3 max-sm:hidden" />
    </li>
  );
}

function NewProject() {
  const { client, queries } = useService();
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const create = async (name: string, signal: AbortSignal) => {
    let id: string | undefined;
    try {
      ({ id } = await client.projects.create({ name }, { signal }));
    } finally {
      // A request that was cancelled may have created its project.
      await queries.invalidateQueries({ queryKey: ME_KEY });
    }
    if (signal.aborted) return;
    await navigate({ to: '/projects/$projectId', params: { projectId: id } });
  };
  return (
    <>
      <Button icon={<Plus aria-hidden size={16} />} onClick={() => setOpen(true)}>
        New project
      </Button>
      <NameDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="New project"
        description="You become its owner, and can add others as members."
        name="New project"
        maxLength={100}
        submitLabel="Create"
        onSubmit={create}
      />
    </>
  );
}

function ProjectSkeletons() {
  return (
    <CardList as="div">
      {['first', 'second', 'third'].map((row) => (
        <div key={row} className="flex h-14 items-center px-4">
          <Skeleton className="h-4 w-56 max-w-full" />
        </div>
      ))}
    </CardList>
  );
}
