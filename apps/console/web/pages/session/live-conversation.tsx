import type { Conversation, ConversationSnapshot } from '@session/client';
import type { BrowserRoom } from '@session/client/browser';
import { useRoom, useTimeline } from '@session/client/react';
import type { Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useMe } from '../../service/me.ts';
import { useService } from '../../service/service.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { EraseProvider } from '../erasures/erase-message.tsx';
import { ClosedBar } from './composer/closed-bar.tsx';
import { Composer } from './composer/composer.tsx';
import { HandoverNotice } from './composer/handover-notice.tsx';
import { UnsentNotice } from './composer/unsent-notice.tsx';
import { useKeptWords } from './composer/use-kept-words.ts';
import { ConnectionLine } from './connection-line.tsx';
import { ConversationList } from './conversation/conversation-list.tsx';
import { EmptyConversation } from './conversation/empty-conversation.tsx';
import { isEvent } from './conversation/message-facts.ts';
import { nextGap } from './conversation/positions.ts';
import { useJump } from './conversation/use-jump.ts';
import { agentsQuery } from './session-queries.ts';
import { RowsSkeleton } from './session-skeleton.tsx';
import type { ShownMoment } from './use-moment.ts';
import { PresenceLine } from './voice/presence-line.tsx';
import { usePushToTalk } from './voice/use-push-to-talk.ts';
import { VoiceNotices } from './voice/voice-notices.tsx';

interface LiveConversationProps {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly room: BrowserRoom;
  readonly moment: ShownMoment;
}

export function LiveConversation(props: LiveConversationProps) {
  const { session, conversation, moment } = props;
  const me = useMe();
  const snapshot = useTimeline(conversation);
  const jump = useJump(conversation, moment.visit);
  const toGap = (time: string, step: -1 | 1) => {
    const gap = nextGap(session.recording.gaps, time, step);
    if (gap) moment.go(gap.to);
  };
  if (snapshot.items.length === 0 && !snapshot.isLoaded && !snapshot.error) {
    return <RowsSkeleton />;
  }
  const isSilent = !snapshot.hasOlder && snapshot.items.every(isEvent);
  return (
    <>
      <ConnectionLine connection={snapshot.connection} />
      {snapshot.items.length === 0 ? (
        <EmptyConversation session={session} />
      ) : (
        <EraseProvider session={session}>
          <ConversationList
            {...{ conversation, jump }}
            sessionId={session.id}
            selfId={me?.id}
            unseen={snapshot.unseen}
            onLive={moment.goLive}
            onGap={toGap}
          />
        </EraseProvider>
      )}
      <div className="mx-auto w-full max-w-220 px-3 pt-2 pb-2 sm:px-6">
        <Foot {...props} {...{ snapshot, isSilent }} userId={me?.id} />
      </div>
    </>
  );
}

interface FootProps extends LiveConversationProps {
  readonly snapshot: ConversationSnapshot;
  readonly isSilent: boolean;
  readonly userId: string | undefined;
}

function Foot(props: FootProps) {
  const { session, snapshot, userId } = props;
  if (session.status === 'CLOSED') return <ClosedBar session={session} />;
  if (snapshot.error) {
    return <ErrorNotice error={snapshot.error} onRetry={() => location.reload()} />;
  }
  return userId === undefined ? null : <TalkFoot {...props} userId={userId} />;
}

function TalkFoot(props: FootProps & { readonly userId: string }) {
  const { session, conversation, room, moment, snapshot, isSilent, userId } = props;
  const kept = useKeptWords(conversation, userId, session.id);
  const { client } = useService();
  const { data: agents } = useQuery(agentsQuery(client, session.id));
  // What there is to say is said to an agent.
  const hasAgent = agents?.some(({ status }) => status !== 'Stopped') ?? false;
  usePushToTalk(room);
  useJoinToTalk(conversation, room);
  return (
    <>
      <VoiceNotices room={room} />
      <UnsentNotice {...{ conversation, kept }} sessionId={session.id} />
      <HandoverNotice {...{ conversation, snapshot, hasAgent }} />
      <PresenceLine room={room} sessionId={session.id} />
      <Composer
        {...{ conversation, room, kept }}
        isFirst={isSilent && hasAgent}
        onSaid={moment.goLive}
      />
    </>
  );
}

/** Joins the room when the microphone opens. One that is denied leaves the user outside. */
function useJoinToTalk(conversation: Conversation, room: BrowserRoom): void {
  const { microphone } = useRoom(room);
  const isOpen = microphone === 'on' || microphone === 'muted';
  useEffect(() => {
    const { error, mode } = conversation.timeline.getSnapshot();
    // A conversation that was refused is closed.
    if (isOpen && !error && mode === 'history') conversation.setMode('join');
  }, [isOpen, conversation]);
}
