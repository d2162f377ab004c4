import { Menu, Search } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import type { Overlay } from './use-shortcuts.ts';

/** The head of a narrow window, in place of the sidebar. */
export function TopBar({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }) {
  return (
    <header className="flex h-12 items-center gap-1 border-line border-b bg-sunken/60 px-2 md:hidden">
      <IconButton label="Open the navigation" onClick={() => onOpen('sidebar')}>
        <Menu aria-hidden size={18} />
      </IconButton>
      <div className="min-w-0 flex-1">
        <ProjectSwitcher />
      </div>
      <IconButton label="Go to anything" onClick={() => onOpen('palette')}>
        <Search aria-hidden size={18} />
      </IconButton>
    </header>
  );
}
