import { useNavigate } from '@tanstack/react-router';
import { useService } from '../../service/service.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { NameDialog } from '../../ui/name-dialog.tsx';
import { refreshLists } from './sessions-query.ts';

interface NewSessionProps extends DialogState {
  readonly projectId: string;
}

export function NewSession({ projectId, isOpen, onClose }: NewSessionProps) {
  const { client, queries } = useService();
  const navigate = useNavigate();
  const create = async (name: string, signal: AbortSignal) => {
    try {
      const { id } = await client.sessions.create(projectId, { name }, { signal });
      if (!signal.aborted)
        await navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
    } finally {
      // A request that was cancelled may have created its session.
      void refreshLists(queries, projectId);
    }
  };
  return (
    <NameDialog
      isOpen={isOpen}
      onClose={onClose}
      title="New session"
      description="A session is a conversation. It is recorded from the first word."
      name="New conversation"
      maxLength={200}
      submitLabel="Create"
      onSubmit={create}
    />
  );
}
