import { Link } from '@tanstack/react-router';
import { useSelector } from '@tanstack/react-store';
import { ChevronsUpDown, Keyboard, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { useState } from 'react';
import { THEMES, type ThemeChoice } from '../service/kept-choice.ts';
import { useMe } from '../service/me.ts';
import { useService } from '../service/service.ts';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { SignOutDialog } from './sign-out-dialog.tsx';
import type { Overlay } from './use-shortcuts.ts';

const THEME_NAMES: Readonly<Record<ThemeChoice, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};
const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

export function UserMenu({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }) {
  const { theme } = useService();
  const me = useMe();
  const choice = useSelector(theme);
  const [isSigningOut, setSigningOut] = useState(false);
  const trigger = (
    <button
      type="button"
      className="flex h-10 w-full cursor-pointer items-center gap-2.5 rounded-control px-2 text-left transition-colors hover:bg-ink/6"
    >
      <Avatar name={me?.name ?? ''} />
      <span className="min-w-0 flex-1 truncate font-medium text-control">
        {me?.name ?? 'Account'}
      </span>
      <ChevronsUpDown aria-hidden size={14} className="shrink-0 text-ink-3" />
    </button>
  );
  return (
    <>
      <Menu trigger={trigger}>
        <MenuGroup label={me ? me.email : 'Signed in'}>
          <MenuItem icon={<UserRound aria-hidden size={16} />} render={<Link to="/account" />}>
            Account
          </MenuItem>
          <MenuItem
            icon={<Keyboard aria-hidden size={16} />}
            note="?"
            onSelect={() => onOpen('keys')}
          >
            Keys
          </MenuItem>
        </MenuGroup>
        <MenuSeparator />
        <MenuGroup label="Theme">
          {THEMES.map((name) => {
            const Icon = THEME_ICONS[name];
            return (
              <MenuItem
                key={name}
                icon={<Icon aria-hidden size={16} />}
                isChecked={name === choice}
                onSelect={() => theme.setState(() => name)}
              >
                {THEME_NAMES[name]}
              </MenuItem>
            );
          })}
        </MenuGroup>
        <MenuSeparator />
        <MenuItem icon={<LogOut aria-hidden size={16} />} onSelect={() => setSigningOut(true)}>
          Sign out …
        </MenuItem>
      </Menu>
      <SignOutDialog isOpen={isSigningOut} onClose={() => setSigningOut(false)} />
    </>
  );
}

function Avatar({ name }: { readonly name: string }) {
  return (
    <span
      aria-hidden
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-full bg-iris-soft font-strong text-iris text-label"
    >
      {initialsOf(name)}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  const letters = new Intl.Segmenter();
  return chosen
    .map((word = '') => letters.segment(word)[Symbol.iterator]().next().value?.segment ?? '')
    .join('')
    .toUpperCase();
}
