import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { Menu, Plus, Search, WifiOff } from 'lucide-react';
import { useCallback, useState } from 'react';
import { agentsQuery } from '../pages/session/session-queries.ts';
import { NewSession } from '../pages/sessions/new-session.tsx';
import { useOfflineSince, useService } from '../service/service.ts';
import { usePageKeys } from '../service/use-page-keys.ts';
import { IconButton } from '../ui/button.tsx';
import { durationText } from '../ui/durations.ts';
import { usePageActions } from '../ui/page-actions.ts';
import { Sheet } from '../ui/sheet.tsx';
import { toast } from '../ui/toast.tsx';
import { useNow } from '../ui/use-now.ts';
import { useUnpressed } from '../ui/use-unpressed.ts';
import { KeyList } from './key-list.tsx';
import { LazyPalette } from './lazy-palette.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import { Sidebar } from './sidebar.tsx';
import { type CurrentProject, useCurrentProject } from './use-current-project.ts';
import { type Overlay, useShortcuts } from './use-shortcuts.ts';

export function Shell() {
  const { overlay, open, close } = useOverlay();
  useShortcuts(open);
  useLogsKey();
  return (
    <div className="grid h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)] md:grid-cols-[248px_minmax(0,1fr)] md:grid-rows-[auto_minmax(0,1fr)]">
      <SkipLink />
      <div className="hidden border-line border-r bg-sunken/60 md:col-start-1 md:row-span-2 md:row-start-1 md:block md:min-h-0">
        <Sidebar onOpen={open} />
      </div>
      <TopBar onOpen={open} />
      <OfflineLine />
      <main
        id="content"
        tabIndex={-1}
        className="relative row-start-3 min-h-0 overflow-y-auto outline-none md:col-start-2 md:row-start-2"
      >
        <Outlet />
      </main>
      <Sheet isOpen={overlay === 'sidebar'} onClose={close} label="Navigation" side="left">
        <Sidebar onOpen={open} />
      </Sheet>
      <ShellActions />
      {overlay === 'palette' ? <LazyPalette onClose={close} onOpen={open} /> : null}
      {overlay === 'keys' ? <KeyList onClose={close} /> : null}
    </div>
  );
}

function useOverlay() {
  const { pathname } = useLocation();
  const [opened, setOpened] = useState<{ overlay: Overlay; pathname: string } | null>(null);
  const open = useCallback((overlay: Overlay) => setOpened({ overlay, pathname }), [pathname]);
  const close = useCallback(() => setOpened(null), []);
  return { overlay: opened?.pathname === pathname ? opened.overlay : null, open, close };
}

function SkipLink() {
  return (
    <button
      type="button"
      onClick={() => document.getElementById('content')?.focus()}
      className="fixed top-2 left-2 z-50 -translate-y-16 rounded-control bg-ink px-3 py-2 font-medium text-control text-paper focus:translate-y-0"
    >
      Skip to the content
    </button>
  );
}

function TopBar({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }) {
  return (
    <header className="flex h-12 items-center gap-1 border-line border-b bg-sunken/60 px-2 md:hidden">
      <IconButton label="Open the navigation" onClick={() => onOpen('sidebar')}>
        <Menu aria-hidden size={18} />
      </IconButton>
      <div className="min-w-0 flex-1">
        <ProjectSwitcher />
      </div>
      <IconButton label="Go to anything" onClick={() => onOpen('palette')}>
        <Search aria-hidden size={18} />
      </IconButton>
    </header>
  );
}

function useLogsKey(): void {
  const { client, queries } = useService();
  const { sessionId, agentId } = useParams({ strict: false });
  const navigate = useNavigate();
  const openLogs = async (id: string) => {
    const agents = await queries.fetchQuery(agentsQuery(client, id));
    const agent = agents.find(({ status }) => status !== 'Stopped') ?? agents[0];
    if (!agent) return toast('No agent has been in this session, so there are no logs.');
    const to = '/sessions/$sessionId/agents/$agentId';
    return await navigate({ to, params: { sessionId: id, agentId: agent.id } });
  };
  usePageKeys(({ key, repeat }) => {
    if (key.toLowerCase() !== 'l' || repeat || !sessionId || agentId) return;
    openLogs(sessionId).catch(() =>
      toast('The agents of this session could not be read. Press L to try again.'),
    );
  });
}

function OfflineLine() {
  const since = useUnpressed(useOfflineSince());
  return (
    <div aria-live="polite" className="row-start-2 md:col-start-2 md:row-start-1">
      {since === null ? null : <Line since={since} />}
    </div>
  );
}

function Line({ since }: { readonly since: number }) {
  return (
    <p className="flex items-center gap-2 border-gap/40 border-b bg-gap-soft px-4 py-1.5 text-control text-ink sm:px-8">
      <WifiOff aria-hidden size={16} className="shrink-0 text-gap" />
      <span className="min-w-0">
        <span className="font-medium">The service cannot be reached.</span> What you have read stays
        here; what you say is sent when it is back.
      </span>
      {/* Hidden from screen readers, which would read it aloud every second. */}
      <span aria-hidden className="ml-auto font-medium text-gap tabular-nums">
        <Seconds since={since} />
      </span>
    </p>
  );
}

function Seconds({ since }: { readonly since: number }) {
  return durationText(useNow('second') - since);
}

function ShellActions() {
  const project = useCurrentProject();
  return project ? <ProjectActions project={project} /> : null;
}

function ProjectActions({ project: { id, name } }: { readonly project: CurrentProject }) {
  const [isNaming, setNaming] = useState(false);
  usePageActions([
    {
      key: 'new-session',
      name: 'New session …',
      kind: name,
      icon: <Plus aria-hidden size={16} />,
      run: () => setNaming(true),
    },
  ]);
  return <NewSession projectId={id} isOpen={isNaming} onClose={() => setNaming(false)} />;
}
