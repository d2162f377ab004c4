import type { Session } from '@session/contract';
import { PanelRight } from 'lucide-react';
import { useState } from 'react';
import { useAllowed } from '../../../service/use-allowed.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Lamp } from '../../../ui/lamp.tsx';
import { recordingStatusOf } from '../../../ui/tape-span.ts';
import { Tooltip } from '../../../ui/tooltip.tsx';
import { recordingText } from '../recording-sentences.ts';
import { CloseDialog } from './close-dialog.tsx';
import { SessionMenu } from './session-menu.tsx';
import { SessionTitle } from './session-title.tsx';

const isKnown = (status: string): boolean => status === 'ACTIVE' || status === 'CLOSED';

interface SessionHeaderProps {
  readonly session: Session;
  /** Opens the panel in windows without room for it beside the conversation. */
  readonly onPanel: () => void;
}

export function SessionHeader({ session, onPanel }: SessionHeaderProps) {
  const [isClosing, setClosing] = useState(false);
  const { mayEnd } = useAllowed(session);
  const isClosable = session.status === 'ACTIVE' && mayEnd;
  const askToClose = () => setClosing(true);
  return (
    <header className="flex items-center gap-3 px-4 pt-3 sm:px-6">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
        <SessionTitle session={session} />
        <RecordingLamp session={session} />
        {/* A status that a newer API has added. */}
        {isKnown(session.status) ? null : <Badge>{session.status}</Badge>}
      </div>
      {isClosable && (
        <Button size="small" className="max-sm:hidden" onClick={askToClose}>
          Close
        </Button>
      )}
      <SessionMenu session={session} onClose={isClosable ? askToClose : undefined} />
      <IconButton
        label="Agents, plan, recording and people"
        className="lg:hidden"
        onClick={onPanel}
      >
        <PanelRight aria-hidden size={18} />
      </IconButton>
      <CloseDialog session={session} isOpen={isClosing} onClose={() => setClosing(false)} />
    </header>
  );
}

function RecordingLamp({ session }: { readonly session: Session }) {
  return (
    <Tooltip text={recordingText(session)}>
      <button type="button" className="min-h-6 shrink-0 cursor-help rounded-control">
        <Lamp status={recordingStatusOf(session)} />
      </button>
    </Tooltip>
  );
}
