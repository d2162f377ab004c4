import { useSelector } from '@tanstack/react-store';
import {
  Activity,
  ClipboardList,
  Eraser,
  FileSliders,
  FolderClosed,
  Keyboard,
  KeyRound,
  LayoutGrid,
  MessageSquare,
  MessagesSquare,
  Monitor,
  Moon,
  Search,
  Sun,
  UserRound,
  Users,
  Webhook,
} from 'lucide-react';
import { useSessions } from '../pages/sessions/use-sessions.ts';
import { useMe } from '../service/me.ts';
import { useService } from '../service/service.ts';
import { pageActions } from '../ui/page-actions.ts';
import type { Destination } from './destinations.ts';
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
  const params = { projectId };
  return [
    {
      key: 'sessions',
      name: 'Sessions',
      kind: 'Page',
      icon: <MessagesSquare aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId', params },
    },
    {
      key: 'search',
      name: 'Search what was said',
      kind: 'Page',
      icon: <Search aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId/search', params },
    },
    {
      key: 'templates',
      name: 'Templates',
      kind: 'Page',
      icon: <FileSliders aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId/templates', params },
    },
    {
      key: 'members',
      name: 'Members',
      kind: 'Page',
      icon: <Users aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId/members', params },
    },
    {
      key: 'api-keys',
      name: 'API keys',
      kind: 'Page',
      icon: <KeyRound aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId/keys', params },
    },
    {
      key: 'webhooks',
      name: 'Webhooks',
      kind: 'Page',
      icon: <Webhook aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId/webhooks', params },
    },
    {
      key: 'erasures',
      name: 'Erasures',
      kind: 'Page',
      icon: <Eraser aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId/erasures', params },
    },
    {
      key: 'audit',
      name: 'Audit',
      kind: 'Page',
      icon: <ClipboardList aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId/audit', params },
    },
    {
      key: 'monitoring',
      name: 'Monitoring',
      kind: 'Page',
      icon: <Activity aria-hidden size={SIZE} />,
      link: { to: '/projects/$projectId/monitoring', params },
    },
  ];
}
