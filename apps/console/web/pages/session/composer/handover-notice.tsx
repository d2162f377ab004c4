import type { Client, Conversation, ConversationSnapshot } from '@session/client';
import type { Agent } from '@session/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { onlyIf } from '../../../service/queries.ts';
import { useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { useOperatorMark } from '../operator-mark.ts';
import { newestOpenHandover, payloadOf } from './handovers.ts';

/** Some of these may be handovers to other agents. */
const MAX_HANDOVERS = 20;

interface HandoverNoticeProps {
  readonly conversation: Conversation;
  readonly sessionId: string;
  readonly snapshot: Pick<ConversationSnapshot, 'hasOlder' | 'items' | 'mode'>;
  /** The agents that have not stopped. Nobody can end the request of a stopped agent. */
  readonly agents: readonly Agent[];
}

export function HandoverNotice(props: HandoverNoticeProps) {
  const { conversation, sessionId, snapshot, agents } = props;
  const isOperator = snapshot.mode === 'operator';
  useOperatorMark(isOperator);
  const { client } = useService();
  const isOnPage = newestOpenHandover(snapshot.items, agents) !== undefined;
  const { data: older = [] } = useQuery({
    ...newestHandoversQuery(client, sessionId),
    ...onlyIf(agents.length > 0 && snapshot.hasOlder && !isOnPage),
  });
  // The page may have the end of an older handover.
  const handover = newestOpenHandover([...older, ...snapshot.items], agents);
  if (!isOperator && !handover) return null;
  const { state, reason } = payloadOf(handover);
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

/** Reads the handovers that may be older than the messages on the page. The newest is the last one. */
function newestHandoversQuery(client: Client, sessionId: string) {
  return queryOptions({
    queryKey: ['session', sessionId, 'handover'],
    queryFn: async ({ signal }) => {
      const options = { kind: 'handover', limit: MAX_HANDOVERS, signal };
      const { items } = await client.messages.list(sessionId, options);
      return items.toReversed();
    },
    refetchOnWindowFocus: false,
  });
}
