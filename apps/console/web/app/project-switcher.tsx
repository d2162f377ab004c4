import { Link } from '@tanstack/react-router';
import { ChevronsUpDown, LayoutGrid } from 'lucide-react';
import { useMe } from '../service/me.ts';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { useCurrentProject } from './use-current-project.ts';

const MAX_PROJECTS = 20;

export function ProjectSwitcher() {
  const current = useCurrentProject();
  const memberships = useMe()?.projectMemberships ?? [];
  const trigger = (
    <button
      type="button"
      className="flex h-9 w-full cursor-pointer items-center gap-2.5 rounded-control px-2 text-left transition-colors hover:bg-ink/6"
    >
      <Mark />
      <span className="min-w-0 flex-1 truncate font-strong text-control">
        {current?.name ?? 'Projects'}
      </span>
      <ChevronsUpDown aria-hidden size={14} className="shrink-0 text-ink-3" />
    </button>
  );
  return (
    <Menu trigger={trigger}>
      {memberships.length ? (
        <MenuGroup label="Projects">
          {memberships.slice(0, MAX_PROJECTS).map(({ projectId, project }) => (
            <MenuItem
              key={projectId}
              isChecked={projectId === current?.id}
              render={<Link to="/projects/$projectId" params={{ projectId }} />}
            >
              {project.name}
            </MenuItem>
          ))}
        </MenuGroup>
      ) : null}
      {memberships.length ? <MenuSeparator /> : null}
      <MenuItem
        icon={<LayoutGrid aria-hidden size={16} />}
        render={<Link to="/" search={{ all: true }} />}
      >
        All projects
      </MenuItem>
    </Menu>
  );
}

function Mark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 20 20" className="size-5 shrink-0">
      <rect width="20" height="20" rx="5" className="fill-iris" />
      <rect x="4" y="8" width="7.5" height="4" rx="1" className="fill-on-iris" />
      <rect x="12.5" y="8" width="3.5" height="4" rx="1" className="fill-on-iris/60" />
    </svg>
  );
}
