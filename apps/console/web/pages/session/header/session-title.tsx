import type { Session } from '@session/contract';
import { useMutation } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { showChanged } from '../../../service/queries.ts';
import { useService } from '../../../service/service.ts';
import { isComposing } from '../../../ui/composing.ts';
import { failureSentence } from '../../../ui/failure.ts';
import { toast } from '../../../ui/toast.tsx';
import { refreshLists } from '../../sessions/sessions-query.ts';
import { sessionQuery } from '../session-queries.ts';

export function SessionTitle({ session }: { readonly session: Session }) {
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <TitleForm session={session} onDone={() => setEditing(false)} />;
  return (
    <h1 className="flex min-w-0 font-strong text-title" tabIndex={-1}>
      <button
        type="button"
        title="Rename"
        onClick={() => setEditing(true)}
        className="group/title -mx-1.5 flex min-w-0 cursor-text items-center gap-2 rounded-control px-1.5 text-start hover:bg-ink/6"
      >
        <span dir="auto" className="min-w-0 truncate">
          {session.name}
        </span>
        <Pencil
          aria-hidden
          size={14}
          className="-me-5.5 shrink-0 text-ink-3 opacity-0 group-hover/title:opacity-100 group-focus-visible/title:opacity-100"
        />
        <span className="sr-only">Rename</span>
      </button>
    </h1>
  );
}

interface TitleFormProps {
  readonly session: Session;
  readonly onDone: () => void;
}

function TitleForm({ session, onDone }: TitleFormProps) {
  const { client, queries } = useService();
  const { queryKey } = sessionQuery(client, session.id);
  const rename = useMutation({
    mutationFn: (name: string) => client.sessions.rename(session.id, { name }),
    onSuccess: (renamed) => {
      showChanged(queries, queryKey, renamed);
      void refreshLists(queries, session.projectId);
    },
    onError: (error) => {
      toast(`The session keeps its name: ${failureSentence(error)}`, { tone: 'warning' });
    },
    onSettled: onDone,
  });
  const save = (text: string) => {
    const name = text.trim();
    if (name === '' || name === session.name) onDone();
    else if (!rename.isPending) rename.mutate(name);
  };
  return (
    <div className="min-w-0 flex-1">
      <input
        aria-label="Name of the session"
        defaultValue={session.name}
        maxLength={200}
        dir="auto"
        ref={selectOnce}
        onBlur={({ currentTarget }) => save(currentTarget.value)}
        onKeyDown={({ key, currentTarget, nativeEvent }) => {
          if (isComposing(nativeEvent)) return;
          if (key === 'Escape') onDone();
          if (key === 'Enter') save(currentTarget.value);
        }}
        className="-mx-1.5 w-full max-w-104 rounded-control border border-line bg-surface px-1 font-strong text-title"
      />
    </div>
  );
}

/** Defined outside the component: React calls an inline ref at each render, which would select what the user typed. */
function selectOnce(field: HTMLInputElement | null): void {
  field?.select();
}
