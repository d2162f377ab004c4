import { Menu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { type MenuParts, MenuPartsContext } from './menu-parts.ts';

const PARTS: MenuParts = {
  Item: Menu.Item,
  Group: Menu.Group,
  GroupLabel: Menu.GroupLabel,
  Separator: Menu.Separator,
};

interface MenuPopupProps {
  readonly anchor: HTMLElement;
  readonly align: 'start' | 'end';
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** The part of a menu that pops up. */
export function MenuPopup({ anchor, align, isOpen, onOpenChange, children }: MenuPopupProps) {
  return (
    <Menu.Root open={isOpen} onOpenChange={onOpenChange}>
      {/* Whatever stands outside of an open modal dialog cannot be reached. */}
      <Menu.Portal container={anchor.closest('dialog') ?? document.body}>
        <Menu.Positioner anchor={anchor} align={align} sideOffset={4} className="z-40 outline-none">
          <Menu.Popup
            finalFocus={() => anchor}
            className="max-h-(--available-height) min-w-48 max-w-80 overflow-y-auto rounded-card border border-line bg-surface p-1 text-ink shadow-float outline-none transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            <MenuPartsContext value={PARTS}>{children}</MenuPartsContext>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
