import type { Client, Conversation, ConversationSnapshot, TimelineItem } from '@session/client';
import type { Agent } from '@session/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { onlyIf } from '../../../service/queries.ts';
import { useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { useOperatorMark } from '../operator-mark.ts';

/** Some of them may be handovers to other agents. */
const MAX_HANDOVERS = 20;

interface HandoverNoticeProps {
  readonly conversation: Conversation;
  readonly sessionId: string;
  readonly snapshot: Pick<ConversationSnapshot, 'hasOlder' | 'items' | 'mode'>;
  /** The agents that have not stopped. What another one has asked for nobody can end. */
  readonly agents: readonly Agent[];
}

export function HandoverNotice(props: HandoverNoticeProps) {
  const { conversation, sessionId, snapshot, agents } = props;
  const isOperator = snapshot.mode === 'operator';
  useOperatorMark(isOperator);
  const { client } = useService();
  const shown = snapshot.items.findLast((item) => item.kind === 'handover' && isToPerson(item));
  const { data: older } = useQuery({
    ...newestHandoverQuery(client, sessionId),
    ...onlyIf(agents.length > 0 && snapshot.hasOlder && !shown),
  });
  const newest = shown ?? older;
  const { state, reason } = payloadOf(newest);
  const isOpen = isOfOne(agents, newest) && (state === 'requested' || state === 'taken');
  if (!isOperator && !isOpen) return null;
  const asked =
    state === 'taken' ? 'A person has taken over.' : 'An agent asks for a person to take over.';
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card bg-sunken px-3 py-2 text-control">
      <p className="min-w-40 flex-1">
        {isOperator ? 'You have taken over: agents answer nothing.' : asked}{' '}
        {typeof reason === 'string' && (
          <q className="wrap-anywhere" dir="auto">
            {reason}
          </q>
        )}
      </p>
      <Button
        size="small"
        onClick={() => conversation.setMode(isOperator ? 'history' : 'operator')}
      >
        {isOperator ? 'Hand back' : 'Take over'}
      </Button>
    </div>
  );
}

type Handover = Pick<TimelineItem, 'metadata'>;

/** Finds a handover that is older than the messages on the page. */
function newestHandoverQuery(client: Client, sessionId: string) {
  return queryOptions({
    queryKey: ['session', sessionId, 'handover'],
    queryFn: async ({ signal }): Promise<Handover | null> => {
      const options = { kind: 'handover', limit: MAX_HANDOVERS, signal };
      const { items } = await client.messages.list(sessionId, options);
      return items.find(isToPerson) ?? null;
    },
    refetchOnWindowFocus: false,
  });
}

function isToPerson(handover: Handover): boolean {
  return payloadOf(handover)['to'] === undefined;
}

function isOfOne(agents: readonly Agent[], handover: Handover | null | undefined): boolean {
  const { identity } = Object(handover?.metadata?.['participant']);
  return agents.some(({ role, id }) => identity === `agent-${role}-${id.slice(-8)}`);
}

function payloadOf(handover: Handover | null | undefined): Readonly<Record<string, unknown>> {
  return Object(handover?.metadata?.['payload']);
}
