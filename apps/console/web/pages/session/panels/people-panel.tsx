import type { BrowserRoom, RoomParticipant } from '@session/client/browser';
import { useRoom } from '@session/client/react';
import type { Session } from '@session/contract';
import { Bot, CircleHelp, MicOff, Phone, User, Volume2 } from 'lucide-react';
import { Badge } from '../../../ui/badge.tsx';
import { participantName } from '../conversation/message-facts.ts';
import { EmptyPanel, PEOPLE_DRAWING } from './empty-panel.tsx';
import { peopleOf } from './people.ts';

interface PeoplePanelProps {
  readonly session: Session;
  readonly room: BrowserRoom;
}

export function PeoplePanel({ session, room }: PeoplePanelProps) {
  const { participants } = useRoom(room);
  return (
    <section aria-labelledby="people" className="grid gap-4">
      <h2 id="people" className="font-strong text-body">
        In the room
      </h2>
      {participants.length === 0 ? (
        <Nobody session={session} />
      ) : (
        <ul className="grid gap-1">
          {peopleOf(participants).map((person) => (
            <Person key={person.sender} participant={person} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Person({ participant }: { readonly participant: RoomParticipant }) {
  const { kind, isLocal, isSpeaking, isMuted, agentState } = participant;
  return (
    <li className="flex items-start gap-2.5 py-1 text-control">
      <KindMark kind={kind} />
      <span className="grid min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="min-w-0 font-medium text-ink wrap-anywhere">
            {participantName(participant)}
          </span>
          {isLocal ? <Badge>You</Badge> : null}
        </span>
        <span className="text-ink-3 text-label wrap-anywhere">{aboutText(kind, agentState)}</span>
      </span>
      {isSpeaking ? (
        <span className="inline-flex items-center gap-1 text-iris text-label">
          <Volume2 aria-hidden size={14} /> Speaking
        </span>
      ) : null}
      {kind === 'user' && isMuted ? (
        <span className="inline-flex items-center gap-1 text-ink-3 text-label">
          <MicOff aria-hidden size={14} /> Microphone off
        </span>
      ) : null}
    </li>
  );
}

function KindMark({ kind }: { readonly kind: string }) {
  const look = 'mt-0.5 shrink-0 text-ink-3';
  if (kind === 'user') return <User aria-hidden size={16} className={look} />;
  if (kind === 'agent') return <Bot aria-hidden size={16} className="mt-0.5 shrink-0 text-iris" />;
  if (kind === 'sip') return <Phone aria-hidden size={16} className={look} />;
  return <CircleHelp aria-hidden size={16} className={look} />;
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['user', 'Person'],
  ['agent', 'Agent'],
  ['sip', 'Phone'],
]);

function aboutText(kind: string, agentState: string | null): string {
  const word = KINDS.get(kind) ?? kind;
  return agentState ? `${word}, ${agentState}` : word;
}

function Nobody({ session: { status } }: Pick<PeoplePanelProps, 'session'>) {
  return status === 'CLOSED' ? (
    <EmptyPanel title="Nobody is here any more." drawing={PEOPLE_DRAWING}>
      The session is closed, and its room is gone. Who was there is in the conversation.
    </EmptyPanel>
  ) : (
    <EmptyPanel title="You are not in the room yet." drawing={PEOPLE_DRAWING}>
      Who is there appears here as soon as you have joined.
    </EmptyPanel>
  );
}
