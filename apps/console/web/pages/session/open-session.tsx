import type { Conversation, ConversationMode } from '@session/client';
import { type BrowserRoom, browserRoom } from '@session/client/browser';
import { useConversation } from '@session/client/react';
import type { Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useProjectName } from '../../service/me.ts';
import { isMissing, useService } from '../../service/service.ts';
import { usePageTitle } from '../../ui/page-title.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { SessionHeader } from './header/session-header.tsx';
import { LiveConversation } from './live-conversation.tsx';
import { PanelTabs } from './panel-tabs.tsx';
import { SessionPanel } from './panels/session-panel.tsx';
import { SessionActions } from './session-actions.tsx';
import { SessionFacts } from './session-facts.tsx';
import { stateQuery } from './session-queries.ts';
import { RowsSkeleton } from './session-skeleton.tsx';
import { SessionTape } from './session-tape.tsx';
import { useMoment } from './use-moment.ts';

/**
 * The page of a session that is there. Who opens it looks, and is not part of it until the first word, the microphone, or *Join*.
 * Who has just started a conversation to talk is in its room at once; the microphone waits for its button.
 */
export function OpenSession({ session }: { readonly session: Session }) {
  const { client } = useService();
  const [room] = useState(() => browserRoom());
  // A session that was closed already has no room. One that is closed meanwhile keeps its conversation.
  const [hasRoom] = useState(session.status !== 'CLOSED');
  const isForWriting = useLocation({ select: ({ state }) => state.isForWriting === true });
  const [mode] = useState<ConversationMode>(isForWriting ? 'join' : 'history');
  const conversation = useConversation(client, session.id, hasRoom ? room : undefined, mode);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const moment = useMoment();
  usePageTitle(session.name, useProjectName(session.projectId));
  return (
    <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_320px]">
      <div className="flex min-h-0 flex-col">
        <SessionHeader session={session} onPanel={() => setSheetOpen(true)} />
        <SessionTape session={session} moment={moment} />
        {conversation ? (
          <LiveConversation {...{ session, conversation, room, moment }} />
        ) : (
          <RowsSkeleton />
        )}
      </div>
      <aside
        aria-label="About this session"
        className="hidden min-h-0 overflow-y-auto border-line border-s lg:block"
      >
        <Panel {...{ session, conversation, room }} />
      </aside>
      <SessionActions session={session} room={room} />
      <Sheet isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} label="About this session">
        <Panel {...{ session, conversation, room }} />
      </Sheet>
    </div>
  );
}

interface PanelProps {
  readonly session: Session;
  readonly conversation: Conversation | undefined;
  readonly room: BrowserRoom;
}

function Panel({ session, conversation, room }: PanelProps) {
  const { client } = useService();
  const { panel: asked = 'agent' } = useSearch({ from: '/signed-in/sessions/$sessionId' });
  // An older API has no state of a session, and so no plans.
  const hasPlans = !isMissing(useQuery(stateQuery(client, session.id)).error);
  const panel = asked === 'plan' && !hasPlans ? 'agent' : asked;
  return (
    <div className="flex min-h-full flex-col">
      <PanelTabs sessionId={session.id} {...{ panel, hasPlans }} />
      {conversation && <SessionPanel {...{ panel, session, conversation, room }} />}
      <SessionFacts {...session} />
    </div>
  );
}
