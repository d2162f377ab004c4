import type { Conversation, ConversationSnapshot, TimelineItem } from '@session/client';
import { Button } from '../../../ui/button.tsx';
import { useOperatorMark } from '../operator-mark.ts';

interface HandoverNoticeProps {
  readonly conversation: Conversation;
  readonly snapshot: Pick<ConversationSnapshot, 'items' | 'mode'>;
  readonly hasAgent: boolean;
}

export function HandoverNotice({ conversation, snapshot, hasAgent }: HandoverNoticeProps) {
  const isOperator = snapshot.mode === 'operator';
  useOperatorMark(isOperator);
  const { state, reason } = lastHandover(snapshot.items);
  const isOpen = hasAgent && (state === 'requested' || state === 'taken');
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

function lastHandover(items: readonly TimelineItem[]): Readonly<Record<string, unknown>> {
  const last = items.findLast(({ kind, metadata }) => {
    return kind === 'handover' && Object(metadata?.['payload']).to === undefined;
  });
  return Object(last?.metadata?.['payload']);
}
