import type { BrowserRoom } from '@session/client/browser';
import type { Session } from '@session/contract';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { StartAgentForm } from './start-agent-form.tsx';
import { StartingAgent } from './starting-agent.tsx';

interface StartAgentDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly session: Session;
  readonly room: BrowserRoom;
}

/** Starts an agent in a session: first its settings with everything that would prevent the start, then its steps. */
export function StartAgentDialog({ isOpen, onClose, session, room }: StartAgentDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Start an agent"
      description={`In “${session.name}”`}
      width="medium"
    >
      <Content session={session} room={room} onClose={onClose} />
    </Dialog>
  );
}

function Content({ session, room, onClose }: Omit<StartAgentDialogProps, 'isOpen'>) {
  const [agentId, setAgentId] = useState<string | null>(null);
  if (agentId === null) {
    return <StartAgentForm session={session} onStarted={setAgentId} onClose={onClose} />;
  }
  return (
    <StartingAgent
      agentId={agentId}
      room={room}
      onClose={onClose}
      onBack={() => setAgentId(null)}
    />
  );
}
