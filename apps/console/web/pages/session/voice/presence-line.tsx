import type { BrowserRoom } from '@session/client/browser';
import { useRoom } from '@session/client/react';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.ts';
import { classNames } from '../../../ui/class-names.ts';
import { TextLink } from '../../../ui/text-link.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { agentTypesQuery, canHear, titleOf } from '../../agent/agent-queries.ts';
import { agentsQuery } from '../session-queries.ts';
import { presencesOf, type RoomPresence } from './presence-texts.ts';

const SLOW_START_MS = 10_000;

interface PresenceLineProps {
  readonly room: BrowserRoom;
  readonly sessionId: string;
}

export function PresenceLine({ room, sessionId }: PresenceLineProps) {
  const { client } = useService();
  const { data: agents = [] } = useQuery(agentsQuery(client, sessionId));
  const { participants } = useRoom(room);
  const { data: types } = useQuery(agentTypesQuery(client));
  const presences = presencesOf(agents, participants, {
    titleOf: (role) => titleOf(types, role),
    canHear: (agent) => canHear(types, agent),
  });
  if (presences.length === 0) return null;
  return (
    <ul aria-label="In the room" className="mb-2 flex flex-wrap gap-x-4 gap-y-1 px-1">
      {presences.map((presence) => (
        <PresenceItem key={presence.key} {...{ presence, sessionId }} />
      ))}
    </ul>
  );
}

const DOTS = {
  starting: 'border-2 border-iris animate-breathe',
  listening: 'bg-ok',
  thinking: 'bg-iris animate-breathe',
  speaking: 'bg-iris ring-3 ring-iris/25',
} as const;

function PresenceItem({
  presence,
  sessionId,
}: {
  readonly presence: RoomPresence;
  readonly sessionId: string;
}) {
  const { name, does, tone, startedAt, key } = presence;
  return (
    <li className="flex min-w-0 items-center gap-2 text-control text-ink-2">
      <span aria-hidden className={classNames('size-2 shrink-0 rounded-full', DOTS[tone])} />
      <span className="min-w-0 truncate">
        <span className="font-medium text-ink">{name}</span> {does}
      </span>
      {startedAt !== null && <SlowStart {...{ startedAt, sessionId }} agentId={key} />}
    </li>
  );
}

interface SlowStartProps {
  readonly startedAt: string;
  readonly sessionId: string;
  readonly agentId: string;
}

function SlowStart({ startedAt, sessionId, agentId }: SlowStartProps) {
  const now = useNow('second');
  if (now - Date.parse(startedAt) < SLOW_START_MS) return null;
  return (
    <TextLink to="/sessions/$sessionId/agents/$agentId" params={{ sessionId, agentId }}>
      See its log
    </TextLink>
  );
}
