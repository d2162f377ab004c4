import { createLink, Link } from '@tanstack/react-router';
import { Plus, Search } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { NewSession } from '../pages/sessions/new-session.tsx';
import { SessionDot } from '../pages/sessions/session-dot.tsx';
import { useSessions } from '../pages/sessions/use-sessions.ts';
import { IconButton } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { Kbd } from '../ui/kbd.tsx';
import { commandKey } from './command-key.ts';
import { OTHER_PAGES, SESSIONS_PAGE } from './project-pages.ts';
import { ProjectSwitcher } from './project-switcher.tsx';
import { useCurrentProject } from './use-current-project.ts';
import type { Overlay } from './use-shortcuts.ts';
import { UserMenu } from './user-menu.tsx';

export function Sidebar({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }) {
  return (
    <div className="flex h-full min-h-0 flex-col gap-1 p-2">
      <div className="mb-1 max-md:pr-10">
        <ProjectSwitcher />
      </div>
      <button
        type="button"
        onClick={() => onOpen('palette')}
        className="mb-2 flex h-8 cursor-pointer items-center gap-2.5 rounded-control border border-line bg-surface px-2.5 text-control text-ink-3 transition-colors hover:border-ink-3"
      >
        <Search aria-hidden size={14} />
        <span className="flex-1 text-left">Go to anything</span>
        <Kbd>{commandKey('K')}</Kbd>
      </button>
      <ProjectPages />
      <UserMenu onOpen={onOpen} />
    </div>
  );
}

function ProjectPages() {
  const project = useCurrentProject();
  if (!project) return <div className="flex-1" />;
  return (
    <nav aria-label={project.name} className="flex min-h-0 flex-1 flex-col gap-px">
      <SessionsLink projectId={project.id} />
      <SidebarSessions projectId={project.id} />
      <OtherPages projectId={project.id} />
    </nav>
  );
}

function OtherPages({ projectId }: { readonly projectId: string }) {
  const { isPending } = useSessions(projectId);
  if (isPending) return null;
  return OTHER_PAGES.map(({ name, to, Icon }) => (
    <NavLink
      key={to}
      to={to}
      params={{ projectId }}
      activeOptions={{ includeSearch: false }}
      icon={<Icon aria-hidden size={16} />}
    >
      {name}
    </NavLink>
  ));
}

function SessionsLink({ projectId }: { readonly projectId: string }) {
  const [isNaming, setNaming] = useState(false);
  return (
    <div className="relative grid">
      <NavLink
        to={SESSIONS_PAGE.to}
        params={{ projectId }}
        activeOptions={{ exact: true, includeSearch: false }}
        icon={<SESSIONS_PAGE.Icon aria-hidden size={16} />}
      >
        {SESSIONS_PAGE.name}
      </NavLink>
      <IconButton
        label="New session"
        onClick={() => setNaming(true)}
        className="absolute top-0.5 right-0.5 size-7"
      >
        <Plus aria-hidden size={16} />
      </IconButton>
      <NewSession projectId={projectId} isOpen={isNaming} onClose={() => setNaming(false)} />
    </div>
  );
}

interface NavAnchorProps extends ComponentProps<'a'> {
  readonly icon: ReactNode;
}

function NavAnchor({ icon, className, children, ...rest }: NavAnchorProps) {
  return (
    <a
      {...rest}
      className={classNames(
        'group flex h-8 shrink-0 items-center gap-2.5 rounded-control px-2.5 font-medium text-control text-ink-2 transition-colors hover:bg-ink/6 hover:text-ink aria-[current=page]:bg-ink/8 aria-[current=page]:text-ink',
        className,
      )}
    >
      <span className="text-ink-3 group-aria-[current=page]:text-iris">{icon}</span>
      {children}
    </a>
  );
}

const NavLink = createLink(NavAnchor);

const MAX_SESSIONS = 30;

function SidebarSessions({ projectId }: { readonly projectId: string }) {
  const { sessions } = useSessions(projectId);
  const shown = sessions?.slice(0, MAX_SESSIONS) ?? [];
  return (
    <ul className="relative mb-2 ml-4.5 min-h-0 shrink overflow-y-auto border-line border-l py-px pr-px pl-1.5 empty:hidden">
      {shown.map(({ id, name, status }) => (
        <li key={id}>
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId: id }}
            className="flex h-7 items-center gap-2 rounded-control px-2 text-control text-ink-2 transition-colors hover:bg-ink/6 hover:text-ink aria-[current=page]:bg-ink/8 aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            <SessionDot status={status} />
            <span className="min-w-0 truncate">{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
