import type { Session } from '@session/contract';

export function EmptyConversation({ session }: { readonly session: Session }) {
  const isOpen = session.status === 'ACTIVE';
  return (
    <div className="flex min-h-0 flex-1 flex-col items-start justify-end gap-3 overflow-y-auto px-4 pb-4 sm:px-6">
      <Drawing />
      <p className="font-strong text-title">
        {isOpen ? 'Nothing has been said yet.' : 'Nothing was said.'}
      </p>
      {isOpen && (
        <p className="max-w-140 text-ink-2">
          Write below, or talk. Every word is recorded, and is still here when you come back. An
          agent that you start in the panel answers.
        </p>
      )}
    </div>
  );
}

function Drawing() {
  return (
    <svg aria-hidden="true" viewBox="0 0 240 72" className="h-18 w-60 text-line">
      <rect x="0" y="4" width="2" height="24" className="fill-iris" />
      <rect x="12" y="4" width="64" height="6" rx="3" fill="currentColor" />
      <rect x="12" y="18" width="180" height="6" rx="3" fill="currentColor" />
      <rect x="0" y="44" width="2" height="24" className="fill-ink-3" />
      <rect x="12" y="44" width="48" height="6" rx="3" fill="currentColor" />
      <rect x="12" y="58" width="120" height="6" rx="3" fill="currentColor" />
    </svg>
  );
}
