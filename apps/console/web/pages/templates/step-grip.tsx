import { GripVertical } from 'lucide-react';
import type { KeyboardEvent } from 'react';

interface StepGripProps {
  readonly index: number;
  readonly onMove: (to: number) => void;
}

export function StepGrip({ index, onMove }: StepGripProps) {
  const moveByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onMove(event.key === 'ArrowUp' ? index - 1 : index + 1);
  };
  return (
    <button
      type="button"
      data-grip
      aria-label={`Step ${index + 1}: move it with the arrow keys`}
      onKeyDown={moveByKey}
      onPointerDown={(event) => {
        if (event.button === 0) followPointer(onMove);
      }}
      className="-ml-2 inline-flex size-6 cursor-grab touch-none items-center justify-center rounded-control text-ink-3 hover:text-ink active:cursor-grabbing"
    >
      <GripVertical aria-hidden size={16} />
    </button>
  );
}

function followPointer(onMove: (to: number) => void): void {
  const over = new AbortController();
  const { signal } = over;
  // The handle itself moves in the document, so it cannot capture the pointer.
  addEventListener('pointermove', (event) => onMove(stepAt(event.clientX, event.clientY)), {
    signal,
  });
  for (const end of ['pointerup', 'pointercancel']) {
    addEventListener(end, () => over.abort(), { signal });
  }
}

function stepAt(x: number, y: number): number {
  for (const element of document.elementsFromPoint(x, y)) {
    const index = element instanceof HTMLElement ? element.dataset['step'] : undefined;
    if (index !== undefined) return Number(index);
  }
  return -1;
}
