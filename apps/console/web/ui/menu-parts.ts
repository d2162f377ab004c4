import { type ComponentType, createContext, type ReactElement, type ReactNode } from 'react';

/** What an item of a menu is made of. */
interface MenuItemPart {
  readonly className: string;
  readonly children: ReactNode;
  readonly disabled?: boolean;
  readonly onClick?: (() => void) | undefined;
  readonly render?: ReactElement | undefined;
}

/** The parts that the code of an open menu gives to its items, so that an item's code need not be there before. */
export interface MenuParts {
  readonly Item: ComponentType<MenuItemPart>;
  readonly Group: ComponentType<{ readonly children: ReactNode }>;
  readonly GroupLabel: ComponentType<{
    readonly className: string;
    readonly children: ReactNode;
  }>;
  readonly Separator: ComponentType<{ readonly className: string }>;
}

export const MenuPartsContext = createContext<MenuParts | null>(null);
