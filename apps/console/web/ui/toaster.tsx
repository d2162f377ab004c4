import { useSelector } from '@tanstack/react-store';
import { Info, TriangleAlert, X } from 'lucide-react';
import { createPortal } from 'react-dom';
import { dismiss, type Toast, toasts } from './toast.tsx';
import { modals } from './use-modal.ts';

export function Toaster() {
  const { shown } = useSelector(toasts);
  const layer = useSelector(modals, (open) => open.at(-1) ?? document.body);
  return createPortal(
    <section
      aria-label="Notices"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-50 grid justify-items-end gap-2"
    >
      {shown.map((item) => (
        <ToastCard key={item.id} item={item} />
      ))}
    </section>,
    layer,
  );
}

function ToastCard({ item }: { readonly item: Toast }) {
  const { id, text, tone = 'note' } = item;
  const Icon = tone === 'warning' ? TriangleAlert : Info;
  return (
    <div className="pointer-events-auto flex w-full max-w-96 animate-rise items-start gap-2.5 rounded-card border border-line bg-surface p-3 text-control shadow-float">
      <Icon
        aria-hidden
        size={16}
        className={`mt-0.5 shrink-0 ${tone === 'warning' ? 'text-gap' : 'text-ink-3'}`}
      />
      <p className="min-w-0 flex-1 wrap-anywhere">{text}</p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismiss(id)}
        className="-m-1 inline-flex size-6 cursor-pointer items-center justify-center rounded-control text-ink-3 hover:bg-sunken hover:text-ink"
      >
        <X aria-hidden size={14} />
      </button>
    </div>
  );
}
