import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { MissingProject } from '../pages/not-found/missing-project.tsx';
import { meQuery } from '../service/me.ts';
import { useService } from '../service/service.ts';

/** The pages of a project. When the project was deleted, or the user was removed from it, a page says so. */
export function ProjectFrame() {
  const { client } = useService();
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId' });
  const { data: me } = useQuery(meQuery(client));
  const isMember = me?.projectMemberships.some((membership) => membership.projectId === projectId);
  return isMember === false ? <MissingProject /> : <Outlet />;
}
