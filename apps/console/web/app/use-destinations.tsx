import { useSelector } from '@tanstack/react-store';
import {
  FolderClosed,
  Keyboard,
  LayoutGrid,
  MessageSquare,
  Monitor,
  Moon,
  Sun,
  UserRound,
} from 'lucide-react';
import { useSessions } from '../pages/sessions/use-sessions.ts';
import { useMe } from '../service/me.ts';
import { useService } from '../service/service.ts';
import { pageActions } from '../ui/page-actions.ts';
import type { Destination } from './destinations.ts';
import { OTHER_PAGES, SESSIONS_PAGE } from './project-pages.ts';
import { useCurrentProject } from './use-current-project.ts';
import type { Overlay } from './use-shortcuts.ts';

const SIZE = 16;

export function useDestinations(onOpen: (overlay: Overlay) => void): readonly Destination[] {
  const { theme } = useService();
  const project = useCurrentProject();
  const memberships = useMe()?.projectMemberships ?? [];
  const { sessions = [] } = useSessions(project?.id ?? '');
  const actions = useSelector(pageActions);
  return [
    ...actions,
    ...sessions.map(({ id, name }) => ({
      key: id,
      name,
      kind: 'Session',
      icon: <MessageSquare aria-hidden size={SIZE} />,
      link: { to: '/sessions/$sessionId', params: { sessionId: id } } as const,
    })),
    ...(project ? pagesOf(project.id) : []),
    ...memberships.map(({ projectId, project: { name } }) => ({
      key: projectId,
      name,
      kind: 'Project',
      icon: <FolderClosed aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId', params: { projectId } } as const,
    })),
    {
      key: 'projects',
      name: 'All projects',
      kind: 'Page',
      icon: <LayoutGrid aria-hidden size={SIZE} />,
      link: { to: '/', search: { all: true } },
    },
    {
      key: 'account',
      name: 'Account',
      kind: 'Page',
      icon: <UserRound aria-hidden size={SIZE} />,
      link: { to: '/account' },
    },
    ...(
      [
        { name: 'Light theme', choice: 'light', Icon: Sun },
        { name: 'Dark theme', choice: 'dark', Icon: Moon },
        { name: 'Theme of the system', choice: 'system', Icon: Monitor },
      ] as const
    ).map(({ name, choice, Icon }) => ({
      key: choice,
      name,
      kind: 'Theme',
      icon: <Icon aria-hidden size={SIZE} />,
      run: () => theme.setState(() => choice),
    })),
    {
      key: 'keys',
      name: 'Keys',
      kind: 'Help',
      icon: <Keyboard aria-hidden size={SIZE} />,
      run: () => onOpen('keys'),
    },
  ];
}

function pagesOf(projectId: string): readonly Destination[] {
  return [SESSIONS_PAGE, ...OTHER_PAGES].map(({ name, to, Icon }) => ({
    key: to,
    // In the palette, “Search” alone could mean the palette’s own search.
    name: name === 'Search' ? 'Search what was said' : name,
    kind: 'Page',
    icon: <Icon aria-hidden size={SIZE} />,
    link: { to, params: { projectId } },
  }));
}
