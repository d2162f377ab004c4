import type { Conversation } from '@session/client';
import type { BrowserRoom } from '@session/client/browser';
import type { Session } from '@session/contract';
import type { PanelName } from '../session-search.ts';
import { AgentPanel } from './agent-panel.tsx';
import { PeoplePanel } from './people-panel.tsx';
import { PlanPanel } from './plan-panel.tsx';
import { RecordingPanel } from './recording-panel.tsx';

interface SessionPanelProps {
  readonly panel: PanelName;
  readonly session: Session;
  readonly conversation: Conversation;
  readonly room: BrowserRoom;
}

export function SessionPanel(props: SessionPanelProps) {
  return (
    <div className="p-4">
      <Content {...props} />
    </div>
  );
}

function Content({ panel, session, conversation, room }: SessionPanelProps) {
  if (panel === 'plan') return <PlanPanel {...{ session, conversation, room }} />;
  if (panel === 'recording') return <RecordingPanel session={session} />;
  if (panel === 'people') return <PeoplePanel session={session} room={room} />;
  return <AgentPanel session={session} room={room} />;
}
