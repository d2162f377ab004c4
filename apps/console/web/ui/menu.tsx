import { Check } from 'lucide-react';
import {
  type ButtonHTMLAttributes,
  cloneElement,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useContext,
  useState,
} from 'react';
import { classNames } from './class-names.ts';
import { MenuPartsContext } from './menu-parts.ts';

const load = () => import('./menu-popup.tsx');
const preload = () => void load();
const MenuPopup = lazy(async () => ({ default: (await load()).MenuPopup }));

interface MenuProps {
  readonly trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** A menu behind a button. Its code is loaded when the button is pointed at or has the focus. */
export function Menu({ trigger, align = 'start', children }: MenuProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [isOpen, setOpen] = useState(false);
  const button = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    onPointerEnter: preload,
    onFocus: preload,
    onClick: ({ currentTarget }) => {
      setAnchor(currentTarget);
      setOpen(true);
    },
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      setAnchor(event.currentTarget);
      setOpen(true);
    },
  });
  return (
    <>
      {button}
      {anchor ? (
        <Suspense fallback={null}>
          <MenuPopup anchor={anchor} align={align} isOpen={isOpen} onOpenChange={setOpen}>
            {children}
          </MenuPopup>
        </Suspense>
      ) : null}
    </>
  );
}

interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly note?: ReactNode;
  /** Marks the item that is in force, of several that exclude each other. */
  readonly isChecked?: boolean;
  readonly disabled?: boolean;
  readonly onSelect?: () => void;
  readonly render?: ReactElement;
  readonly children: ReactNode;
}

export function MenuItem({
  icon,
  note,
  isChecked = false,
  disabled = false,
  onSelect,
  render,
  children,
}: MenuItemProps) {
  const parts = useContext(MenuPartsContext);
  if (!parts) return null;
  return (
    <parts.Item
      disabled={disabled}
      onClick={onSelect}
      render={render}
      className="flex min-h-8 cursor-pointer items-center gap-2.5 rounded-control px-2.5 py-1 text-control text-ink outline-none select-none data-disabled:cursor-not-allowed data-disabled:text-ink-3 data-highlighted:bg-sunken"
    >
      {icon ? <span className="text-ink-3">{icon}</span> : null}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {note ? <span className="text-ink-3 text-label">{note}</span> : null}
      {isChecked ? (
        <>
          <Check aria-hidden size={16} className="text-iris" />
          <span className="sr-only">(chosen)</span>
        </>
      ) : null}
    </parts.Item>
  );
}

interface MenuGroupProps {
  readonly label: string;
  readonly children: ReactNode;
}

export function MenuGroup({ label, children }: MenuGroupProps) {
  const parts = useContext(MenuPartsContext);
  if (!parts) return null;
  return (
    <parts.Group>
      <parts.GroupLabel className={classNames('px-2.5 pt-2 pb-1 text-ink-3 text-label')}>
        {label}
      </parts.GroupLabel>
      {children}
    </parts.Group>
  );
}

export function MenuSeparator() {
  const parts = useContext(MenuPartsContext);
  return parts ? <parts.Separator className="-mx-1 my-1 h-px bg-line" /> : null;
}
