import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { useModal } from './use-modal.ts';

interface SheetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly label: string;
  readonly side?: 'left' | 'right';
  readonly children: ReactNode;
}

export function Sheet(props: SheetProps) {
  return props.isOpen ? <OpenSheet {...props} /> : null;
}

function OpenSheet({ onClose, label, side = 'right', children }: SheetProps) {
  const modal = useModal(onClose);
  return (
    <dialog
      {...modal}
      aria-label={label}
      className={classNames(
        'top-0 h-dvh max-h-dvh w-[calc(100%-32px)] max-w-80 overflow-y-auto border-line bg-paper text-ink shadow-float backdrop:bg-scrim',
        side === 'left'
          ? 'mr-auto border-r open:animate-from-left'
          : 'ml-auto border-l open:animate-from-right',
      )}
    >
      {children}
      <IconButton label="Close" onClick={onClose} className="absolute top-3 right-3">
        <X aria-hidden size={16} />
      </IconButton>
    </dialog>
  );
}
