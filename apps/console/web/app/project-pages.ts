import {
  Activity,
  ClipboardList,
  Eraser,
  FileSliders,
  KeyRound,
  MessagesSquare,
  Search,
  Users,
  Webhook,
} from 'lucide-react';

export const SESSIONS_PAGE = {
  name: 'Sessions',
  to: '/projects/$projectId',
  Icon: MessagesSquare,
} as const;

export const OTHER_PAGES = [
  { name: 'Search', to: '/projects/$projectId/search', Icon: Search },
  { name: 'Templates', to: '/projects/$projectId/templates', Icon: FileSliders },
  { name: 'Members', to: '/projects/$projectId/members', Icon: Users },
  { name: 'API keys', to: '/projects/$projectId/keys', Icon: KeyRound },
  { name: 'Webhooks', to: '/projects/$projectId/webhooks', Icon: Webhook },
  { name: 'Erasures', to: '/projects/$projectId/erasures', Icon: Eraser },
  { name: 'Audit', to: '/projects/$projectId/audit', Icon: ClipboardList },
  { name: 'Monitoring', to: '/projects/$projectId/monitoring', Icon: Activity },
] as const;
