import type { ListedSession } from '@session/contract';
import { CircleStop, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useService } from '../../service/service.ts';
import { useAllowed } from '../../service/use-allowed.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { NameDialog } from '../../ui/name-dialog.tsx';
import { withChanged, without } from './newest-sessions.ts';
import { changeLists } from './sessions-query.ts';

type Asked = 'rename' | 'close' | 'delete';

export function SessionMenu({ session }: { readonly session: ListedSession }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [hasAsked, setHasAsked] = useState(false);
  const ask = (what: Asked) => {
    setHasAsked(true);
    setAsked(what);
  };
  const { mayEnd, mayDelete } = useAllowed(session);
  const trigger = (
    <IconButton label={`More about ${session.name}`}>
      <Ellipsis aria-hidden size={16} />
    </IconButton>
  );
  return (
    <>
      <Menu trigger={trigger} align="end">
        <MenuItem icon={<Pencil aria-hidden size={16} />} onSelect={() => ask('rename')}>
          Rename …
        </MenuItem>
        {session.status === 'ACTIVE' && mayEnd ? (
          <MenuItem icon={<CircleStop aria-hidden size={16} />} onSelect={() => ask('close')}>
            Close …
          </MenuItem>
        ) : null}
        {mayDelete ? (
          <MenuItem icon={<Trash2 aria-hidden size={16} />} onSelect={() => ask('delete')}>
            Delete …
          </MenuItem>
        ) : null}
      </Menu>
      {/* Not rendered before its first use, because a list has many rows. */}
      {hasAsked ? (
        <SessionDialogs session={session} asked={asked} onClose={() => setAsked(null)} />
      ) : null}
    </>
  );
}

interface SessionDialogsProps {
  readonly session: ListedSession;
  readonly asked: Asked | null;
  readonly onClose: () => void;
}

function SessionDialogs({ session, asked, onClose }: SessionDialogsProps): ReactNode {
  const { client, queries } = useService();
  const { id, projectId, name } = session;
  const changed = (after: Awaited<ReturnType<typeof client.sessions.get>>) =>
    changeLists(queries, projectId, (read) => withChanged(read, after));
  return (
    <>
      <NameDialog
        isOpen={asked === 'rename'}
        onClose={onClose}
        title="Rename the session"
        name={name}
        maxLength={200}
        submitLabel="Rename"
        onSubmit={async (wanted) => changed(await client.sessions.rename(id, { name: wanted }))}
      />
      <ConfirmDialog
        isOpen={asked === 'close'}
        onClose={onClose}
        title={`Close “${name}”?`}
        description="Its agents stop and everybody leaves. The history stays; a closed session cannot be opened again."
        confirmLabel="Close the session"
        onConfirm={async () => changed(await client.sessions.close(id))}
      />
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={onClose}
        title={`Delete “${name}”?`}
        description="The session is closed, and its history is deleted. This cannot be undone."
        confirmLabel="Delete the session"
        onConfirm={async () => {
          await client.sessions.delete(id);
          changeLists(queries, projectId, (read) => without(read, id));
        }}
      />
    </>
  );
}
