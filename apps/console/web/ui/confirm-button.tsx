import { type ComponentProps, useState } from 'react';
import { Button } from './button.tsx';
import { ConfirmDialog } from './dialog.tsx';

interface ConfirmButtonProps
  extends Omit<ComponentProps<typeof ConfirmDialog>, 'isOpen' | 'onClose'> {
  /** What the action concerns, for assistive technology: *Delete* `Backend`. */
  readonly subject?: string;
  readonly className?: string;
}

export function ConfirmButton({ subject, className, ...dialog }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button size="small" variant="quiet" onClick={() => setAsking(true)} className={className}>
        {dialog.confirmLabel}
        {subject === undefined ? null : <span className="sr-only"> {subject}</span>}
      </Button>
      <ConfirmDialog {...dialog} isOpen={isAsking} onClose={() => setAsking(false)} />
    </>
  );
}
