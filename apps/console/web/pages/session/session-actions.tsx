import type { BrowserRoom } from '@session/client/browser';
import type { Session } from '@session/contract';
import { Bot, DoorClosed, Download, FileJson, Link2 } from 'lucide-react';
import { useState } from 'react';
import { useAllowed } from '../../service/use-allowed.ts';
import { copyLink } from '../../ui/copy-link.ts';
import { type PageAction, usePageActions } from '../../ui/page-actions.ts';
import { StartAgentDialog } from './agents/start-agent-dialog.tsx';
import { CloseDialog } from './header/close-dialog.tsx';
import { useExport } from './header/use-export.ts';

interface SessionActionsProps {
  readonly session: Session;
  readonly room: BrowserRoom;
}

const SIZE = 16;

export function SessionActions({ session, room }: SessionActionsProps) {
  const [asked, setAsked] = useState<'start' | 'close' | null>(null);
  const { mayEnd } = useAllowed(session);
  const download = useExport(session);
  const isActive = session.status === 'ACTIVE';
  const close = () => setAsked(null);
  usePageActions([
    ...(isActive ? [action('Start an agent …', <Bot size={SIZE} />, () => setAsked('start'))] : []),
    action('Copy the link', <Link2 size={SIZE} />, () => void copyLink(location.href)),
    action('Export as Markdown', <Download size={SIZE} />, () => download.mutate('markdown')),
    action('Export as JSON lines', <FileJson size={SIZE} />, () => download.mutate('jsonl')),
    ...(isActive && mayEnd
      ? [action('Close the session …', <DoorClosed size={SIZE} />, () => setAsked('close'))]
      : []),
  ]);
  return (
    <>
      <StartAgentDialog isOpen={asked === 'start'} onClose={close} {...{ session, room }} />
      <CloseDialog isOpen={asked === 'close'} onClose={close} session={session} />
    </>
  );
}

function action(name: string, icon: PageAction['icon'], run: () => void): PageAction {
  return { key: name, name, kind: 'This session', icon, run };
}
