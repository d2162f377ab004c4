import type { BrowserRoom } from '@session/client/browser';
import type { Session, StartedAgent } from '@session/contract';
import { useState } from 'react';
import { Dialog, type DialogState } from '../../../ui/dialog.tsx';
import { StartAgentForm } from './start-agent-form.tsx';
import { StartingAgent } from './starting-agent.tsx';

interface StartAgentDialogProps extends DialogState {
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
  const [started, setStarted] = useState<StartedAgent | null>(null);
  if (started === null) {
    return <StartAgentForm {...form} onStarted={setStarted} />;
  }
  return (
    <StartingAgent
      started={started}
      room={room}
      onClose={form.onClose}
      onBack={() => setStarted(null)}
    />
  );
}
