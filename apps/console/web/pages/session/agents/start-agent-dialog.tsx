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
  readonly isForPlan?: boolean;
}

export function StartAgentDialog({ isOpen, ...content }: StartAgentDialogProps) {
  const { onClose, session } = content;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Start an agent"
      description={`In “${session.name}”`}
      width="medium"
    >
      <Content {...content} />
    </Dialog>
  );
}

function Content({ room, ...form }: Omit<StartAgentDialogProps, 'isOpen'>) {
  const [agentId, setAgentId] = useState<string | null>(null);
  if (agentId === null) {
    return <StartAgentForm {...form} onStarted={setAgentId} />;
  }
  return (
    <StartingAgent
      agentId={agentId}
      room={room}
      onClose={form.onClose}
      onBack={() => setAgentId(null)}
    />
  );
}
