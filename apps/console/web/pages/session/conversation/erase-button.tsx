import type { TimelineItem } from '@session/client';
import { Eraser } from 'lucide-react';
import { classNames } from '../../../ui/class-names.ts';
import { useErase } from '../../erasures/erase-message.tsx';

interface EraseButtonProps {
  readonly item: TimelineItem;
  readonly isFirst: boolean;
}

/** Opens the dialog that erases a stored message or all of its sender's. Appears and disappears with `MessageLink`. */
export function EraseButton({ item, isFirst }: EraseButtonProps) {
  const ask = useErase();
  if (!ask) return null;
  return (
    <button
      type="button"
      aria-label="Erase this message"
      title="Erase this message"
      onClick={() => ask(item)}
      className={classNames(
        'absolute end-6 inline-flex size-6 cursor-pointer items-center justify-center rounded-control text-ink-3 opacity-0 hover:text-ink focus-visible:opacity-100 group-hover/row:opacity-100',
        isFirst ? 'top-3.5 pointer-coarse:opacity-100' : 'top-1.5',
      )}
    >
      <Eraser aria-hidden size={14} />
    </button>
  );
}
