import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { meQuery } from '../service/me.ts';
import { useService } from '../service/service.ts';
import { ButtonLink } from '../ui/button.tsx';
import { MissingState } from '../ui/missing-state.tsx';

export function ProjectFrame() {
  const { client } = useService();
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId' });
  const { data: me } = useQuery(meQuery(client));
  const isMember = me?.projectMemberships.some((membership) => membership.projectId === projectId);
  return isMember === false ? <MissingProject /> : <Outlet key={projectId} />;
}

function MissingProject() {
  return (
    <MissingState
      title="There is no such project"
      action={
        <ButtonLink to="/" variant="primary">
          All projects
        </ButtonLink>
      }
    >
      It was deleted, or you are not a member of it. An owner of the project can add you.
    </MissingState>
  );
}
