import type { Session } from '@session/contract';
import { useNavigate } from '@tanstack/react-router';
import { DoorClosed, Download, Ellipsis, Eraser, FileJson, Link2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useService } from '../../../service/service.ts';
import { useAllowed } from '../../../service/use-allowed.ts';
import { IconButton } from '../../../ui/button.tsx';
import { copyLink } from '../../../ui/copy-link.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { refreshLists } from '../../sessions/sessions-query.ts';
import { useExport } from './use-export.ts';

interface SessionMenuProps {
  readonly session: Session;
  readonly onClose: (() => void) | undefined;
}

export function SessionMenu({ session, onClose }: SessionMenuProps) {
  const [asked, setAsked] = useState<'delete' | 'erase' | null>(null);
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
          <MenuItem icon={<Trash2 size={16} />} onSelect={() => setAsked('delete')}>
            Delete …
          </MenuItem>
        )}
        {mayDelete && (
          <MenuItem icon={<Eraser size={16} />} onSelect={() => setAsked('erase')}>
            Erase with a receipt …
          </MenuItem>
        )}
      </Menu>
      <DeleteDialog session={session} asked={asked} onClose={() => setAsked(null)} />
    </>
  );
}

interface DeleteDialogProps {
  readonly session: Session;
  readonly asked: 'delete' | 'erase' | null;
  readonly onClose: () => void;
}

function DeleteDialog({ session, asked, onClose }: DeleteDialogProps) {
  const { client, queries } = useService();
  const navigate = useNavigate();
  const isErasing = asked === 'erase';
  const { id, projectId, name } = session;
  const remove = async () => {
    if (isErasing) await client.erasures.create(projectId, { sessionId: id });
    else await client.sessions.delete(id);
    void refreshLists(queries, projectId);
    await navigate({ to: '/projects/$projectId', params: { projectId } });
    queries.removeQueries({ queryKey: ['session', id] });
  };
  return (
    <ConfirmDialog
      isOpen={asked !== null}
      onClose={onClose}
      title={`${isErasing ? 'Erase' : 'Delete'} “${name}”?`}
      description={
        isErasing
          ? 'The session and its whole history are deleted for everyone, and a receipt says what has gone. This cannot be undone.'
          : 'The session and its whole history are deleted for everyone. This cannot be undone.'
      }
      confirmLabel={isErasing ? 'Erase' : 'Delete'}
      onConfirm={remove}
    />
  );
}
