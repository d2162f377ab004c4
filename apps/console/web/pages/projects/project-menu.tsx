import type { Me } from '@session/contract';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Hourglass, Languages, LogOut, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { ME_KEY } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { NameDialog } from '../../ui/name-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { RetentionDialog, SearchLanguageDialog } from './project-settings.tsx';

type Membership = Me['projectMemberships'][number];
type Asked = 'rename' | 'language' | 'retention' | 'leave' | 'delete';

export function ProjectMenu({ membership }: { readonly membership: Membership }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { role, project } = membership;
  const trigger = (
    <IconButton label={`More about ${project.name}`}>
      <Ellipsis aria-hidden size={16} />
    </IconButton>
  );
  return (
    <>
      <Menu trigger={trigger} align="end">
        {isAtLeast(role, 'ADMIN') ? (
          <MenuItem icon={<Pencil aria-hidden size={16} />} onSelect={() => setAsked('rename')}>
            Rename …
          </MenuItem>
        ) : null}
        {isAtLeast(role, 'ADMIN') ? (
          <MenuItem
            icon={<Languages aria-hidden size={16} />}
            onSelect={() => setAsked('language')}
          >
            Language of the search …
          </MenuItem>
        ) : null}
        {isAtLeast(role, 'OWNER') ? (
          <MenuItem
            icon={<Hourglass aria-hidden size={16} />}
            onSelect={() => setAsked('retention')}
          >
            Keep histories …
          </MenuItem>
        ) : null}
        <MenuItem icon={<LogOut aria-hidden size={16} />} onSelect={() => setAsked('leave')}>
          Leave …
        </MenuItem>
        {isAtLeast(role, 'OWNER') ? (
          <MenuItem icon={<Trash2 aria-hidden size={16} />} onSelect={() => setAsked('delete')}>
            Delete …
          </MenuItem>
        ) : null}
      </Menu>
      <ProjectDialogs membership={membership} asked={asked} onClose={() => setAsked(null)} />
    </>
  );
}

interface ProjectDialogsProps {
  readonly membership: Membership;
  readonly asked: Asked | null;
  readonly onClose: () => void;
}

function ProjectDialogs({ membership, asked, onClose }: ProjectDialogsProps) {
  const { client, queries } = useService();
  const navigate = useNavigate();
  const userId = useMe()?.id;
  const { projectId: id, project } = membership;
  const reread = async () => await queries.invalidateQueries({ queryKey: ME_KEY });
  const gone = async (sentence: string) => {
    await navigate({ to: '/', search: { all: true } });
    await reread();
    toast(sentence);
  };
  return (
    <>
      <NameDialog
        isOpen={asked === 'rename'}
        onClose={onClose}
        title="Rename the project"
        name={project.name}
        maxLength={100}
        submitLabel="Rename"
        onSubmit={async (name) => {
          await client.projects.rename(id, { name });
          await reread();
        }}
      />
      <SearchLanguageDialog
        isOpen={asked === 'language'}
        onClose={onClose}
        projectId={id}
        name={project.name}
      />
      <RetentionDialog
        isOpen={asked === 'retention'}
        onClose={onClose}
        projectId={id}
        name={project.name}
      />
      <ConfirmDialog
        isOpen={asked === 'leave'}
        onClose={onClose}
        title={`Leave “${project.name}”?`}
        description="You no longer see its sessions, and leave its rooms. An owner or admin can add you again."
        confirmLabel="Leave the project"
        onConfirm={async () => {
          if (userId) await client.members.remove(id, userId);
          await gone(`You have left “${project.name}”.`);
        }}
      />
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={onClose}
        title={`Delete “${project.name}”?`}
        description="Its sessions are closed, its agents stop, and all histories and templates are deleted. This cannot be undone."
        confirmLabel="Delete the project"
        typed={project.name}
        onConfirm={async () => {
          await client.projects.delete(id);
          await gone(`“${project.name}” is deleted.`);
        }}
      />
    </>
  );
}
