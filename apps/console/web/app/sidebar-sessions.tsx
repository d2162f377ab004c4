import { Link } from '@tanstack/react-router';
import { SessionDot } from '../pages/sessions/session-dot.tsx';
import { useSessions } from '../pages/sessions/use-sessions.ts';

const MAX_SESSIONS = 30;

/** The newest sessions of a project. */
export function SidebarSessions({ projectId }: { readonly projectId: string }) {
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
