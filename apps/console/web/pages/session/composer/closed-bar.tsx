import type { Session } from '@session/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Download, Plus } from 'lucide-react';
import { useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { failureSentence } from '../../../ui/failure.ts';
import { clockText } from '../../../ui/time-text.ts';
import { toast } from '../../../ui/toast.tsx';
import { refreshLists } from '../../sessions/sessions-query.ts';
import { useExport } from '../header/use-export.ts';
import { keptSentence } from '../recording-sentences.ts';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['user', ''],
  ['idle', ': nobody was in it any more'],
  ['project_deleted', ': its project was deleted'],
  ['agent', ': an agent ended the conversation'],
]);

export function ClosedBar({ session }: { readonly session: Session }) {
  const { closedAt, closeReason } = session;
  const download = useExport(session);
  const navigate = useNavigate();
  const next = useNewSession(session.projectId);
  const open = ({ id }: Session) =>
    void navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
  const reason = closeReason === null ? '' : (REASONS.get(closeReason) ?? `: ${closeReason}`);
  const at = closedAt === null ? '' : ` at ${clockText(Date.parse(closedAt)).slice(0, 5)}`;
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-card border border-line bg-surface px-4 py-3">
      <p className="min-w-40 flex-1 text-control text-ink-2">
        Closed{at}
        {reason}. {keptSentence(session)}
      </p>
      <Button
        icon={<Download aria-hidden size={16} />}
        isBusy={download.isPending}
        onClick={() => download.mutate('markdown')}
      >
        Export
      </Button>
      <Button
        variant="primary"
        icon={<Plus aria-hidden size={16} />}
        isBusy={next.isPending}
        // Not called once the bar is gone, because the user may be in a call elsewhere by then.
        onClick={() => next.mutate(undefined, { onSuccess: open })}
      >
        New session
      </Button>
    </div>
  );
}

function useNewSession(projectId: string) {
  const { client, queries } = useService();
  return useMutation({
    mutationFn: () => client.sessions.create(projectId, { name: 'New conversation' }),
    onSuccess: () => void refreshLists(queries, projectId),
    onError: (error) => toast(failureSentence(error), { tone: 'warning' }),
  });
}
