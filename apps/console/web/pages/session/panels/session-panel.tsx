import type { Conversation } from '@session/client';
import type { Session } from '@session/contract';
import type { PanelRoom } from './panel-room.ts';

interface PanelProps {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly room: PanelRoom;
}

/** What stands beside a conversation: its agents, their plan, its recording, or the people in its room. */
export function SessionPanel({
  panel,
  session,
}: PanelProps & { readonly panel: 'agent' | 'plan' | 'recording' | 'people' }) {
  return (
    <section aria-label={panel} className="p-4">
      <h2 className="font-strong text-title">{panel}</h2>
      <p className="text-control text-ink-2">{session.recording.status}</p>
    </section>
  );
}
