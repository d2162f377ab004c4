import type { Session } from '@session/contract';
import { showChanged } from '../../../service/queries.ts';
import { useService } from '../../../service/service.ts';
import { ConfirmDialog, type DialogState } from '../../../ui/dialog.tsx';
import { refreshLists } from '../../sessions/sessions-query.ts';
import { sessionQuery } from '../session-queries.ts';

interface DialogProps extends DialogState {
  readonly session: Session;
}

export function CloseDialog({ session, isOpen, onClose }: DialogProps) {
  const { client, queries } = useService();
  const close = async () => {
    const closed = await client.sessions.close(session.id);
    showChanged(queries, sessionQuery(client, session.id).queryKey, closed);
    void refreshLists(queries, session.projectId);
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Close this session?"
      description="Its agents stop and everyone leaves the room. The history stays. A closed session cannot be opened again."
      confirmLabel="Close session"
      onConfirm={close}
    />
  );
}
