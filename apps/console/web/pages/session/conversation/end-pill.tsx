import { ArrowDown } from 'lucide-react';

interface EndPillProps {
  readonly unseen: number;
  /** Whether the list shows a part elsewhere in the history. */
  readonly isDetached: boolean;
  readonly onClick: () => void;
}

/** Leads back to the end of the conversation, and says how much was said there meanwhile. */
export function EndPill({ unseen, isDetached, onClick }: EndPillProps) {
  const text = unseen > 0 ? `${unseen} new` : isDetached ? 'Back to now' : 'Latest';
  return (
    <button
      type="button"
      onClick={onClick}
      title="G"
      className="absolute bottom-3 left-1/2 z-10 inline-flex h-8 -translate-x-1/2 animate-rise cursor-pointer items-center gap-1.5 rounded-full border border-line bg-surface px-3.5 font-medium text-control text-ink shadow-float hover:border-ink-3"
    >
      <ArrowDown aria-hidden size={14} className="text-iris" />
      {text}
    </button>
  );
}
