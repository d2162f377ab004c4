import type { Session } from '@session/contract';
import { showChanged } from '../../../service/queries.ts';
import { useService } from '../../../service/service.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { refreshSessionLists, sessionQuery } from '../session-queries.ts';

interface DialogProps {
  readonly session: Session;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CloseDialog({ session, isOpen, onClose }: DialogProps) {
  const { client, queries } = useService();
  const close = async () => {
    const closed = await client.sessions.close(session.id);
    showChanged(queries, sessionQuery(client, session.id).queryKey, closed);
    void refreshSessionLists(queries, session.projectId);
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
