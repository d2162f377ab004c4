import type { Session } from '@session/contract';
import { useNavigate } from '@tanstack/react-router';
import { DoorClosed, Download, Ellipsis, FileJson, Link2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useService } from '../../../service/service.ts';
import { useAllowed } from '../../../service/use-allowed.ts';
import { IconButton } from '../../../ui/button.tsx';
import { copyLink } from '../../../ui/copy-link.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { refreshSessionLists } from '../session-queries.ts';
import { useExport } from './use-export.ts';

interface SessionMenuProps {
  readonly session: Session;
  /** Asks whether to close the session; undefined where that is not possible. */
  readonly onClose: (() => void) | undefined;
}

export function SessionMenu({ session, onClose }: SessionMenuProps) {
  const [isDeleting, setDeleting] = useState(false);
  const { mayDelete } = useAllowed(session);
  const download = useExport(session);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <Ellipsis aria-hidden size={18} />
          </IconButton>
        }
      >
        <MenuItem icon={<Link2 size={16} />} onSelect={() => void copyLink(location.href)}>
          Copy link
        </MenuItem>
        <MenuItem icon={<Download size={16} />} onSelect={() => download.mutate('markdown')}>
          Export as Markdown
        </MenuItem>
        <MenuItem icon={<FileJson size={16} />} onSelect={() => download.mutate('jsonl')}>
          Export as JSON lines
        </MenuItem>
        {(onClose || mayDelete) && <MenuSeparator />}
        {onClose && (
          <MenuItem icon={<DoorClosed size={16} />} onSelect={onClose}>
            Close session …
          </MenuItem>
        )}
        {mayDelete && (
          <MenuItem icon={<Trash2 size={16} />} onSelect={() => setDeleting(true)}>
            Delete …
          </MenuItem>
        )}
      </Menu>
      <DeleteDialog session={session} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}

interface DeleteDialogProps {
  readonly session: Session;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteDialog({ session, isOpen, onClose }: DeleteDialogProps) {
  const { client, queries } = useService();
  const navigate = useNavigate();
  const { id, projectId, name } = session;
  const remove = async () => {
    await client.sessions.delete(id);
    void refreshSessionLists(queries, projectId);
    await navigate({ to: '/projects/$projectId', params: { projectId } });
    queries.removeQueries({ queryKey: ['session', id] });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete “${name}”?`}
      description="The session and its whole history are deleted for everyone. This cannot be undone."
      confirmLabel="Delete"
      onConfirm={remove}
    />
  );
}
