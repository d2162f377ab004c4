import { Menu as BaseMenu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type ReactElement, type ReactNode, useRef } from 'react';

interface MenuProps {
  readonly trigger: ReactElement;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

export function Menu({ trigger, align = 'start', children }: MenuProps) {
  const layer = useRef<HTMLElement>(null);
  return (
    <BaseMenu.Root
      onOpenChange={(_isOpen, details) => {
        // Elements outside of an open modal dialog cannot be reached.
        layer.current = details.trigger?.closest('dialog') ?? document.body;
      }}
    >
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal container={layer}>
        <BaseMenu.Positioner align={align} sideOffset={4} className="z-40 outline-none">
          <BaseMenu.Popup className="max-h-(--available-height) min-w-48 max-w-80 overflow-y-auto rounded-card border border-line bg-surface p-1 text-ink shadow-float outline-none transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly note?: ReactNode;
  /** Marks the active item among several that exclude each other. */
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
  return (
    <BaseMenu.Item
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
    </BaseMenu.Item>
  );
}

interface MenuGroupProps {
  readonly label: string;
  readonly children: ReactNode;
}

export function MenuGroup({ label, children }: MenuGroupProps) {
  return (
    <BaseMenu.Group>
      <BaseMenu.GroupLabel className="px-2.5 pt-2 pb-1 text-ink-3 text-label">
        {label}
      </BaseMenu.GroupLabel>
      {children}
    </BaseMenu.Group>
  );
}

export function MenuSeparator() {
  return <BaseMenu.Separator className="-mx-1 my-1 h-px bg-line" />;
}
