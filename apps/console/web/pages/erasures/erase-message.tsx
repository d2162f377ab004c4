import type { TimelineItem } from '@session/client';
import type { Session } from '@session/contract';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { useAllowed } from '../../service/use-allowed.ts';
import { FormDialog } from '../../ui/form.tsx';
import { toast } from '../../ui/toast.tsx';

type AskToErase = (item: TimelineItem) => void;

const EraseContext = createContext<AskToErase | null>(null);

/** Returns a function that opens the dialog for a message; null for users who may not erase. */
export function useErase(): AskToErase | null {
  return useContext(EraseContext);
}

interface EraseProviderProps {
  readonly session: Session;
  readonly children: ReactNode;
}

export function EraseProvider({ session, children }: EraseProviderProps) {
  const { client, queries } = useService();
  const { mayDelete } = useAllowed(session);
  const [item, setItem] = useState<TimelineItem | null>(null);
  const close = useCallback(() => setItem(null), []);
  const { id: sessionId, projectId } = session;
  const erase = async (form: FormData) => {
    if (!item) return;
    const { id, participant } = item;
    const isPerson = form.get('what') === 'person';
    const scope =
      isPerson && participant ? { identity: participant.identity } : { messageIds: [id] };
    await client.erasures.create(projectId, { sessionId, ...scope });
    void refreshProjectList(queries, projectId, 'erasures');
    toast('Erasure requested. The page Erasures has its receipt.');
  };
  return (
    <EraseContext value={mayDelete ? setItem : null}>
      {children}
      <FormDialog
        isOpen={item !== null}
        onClose={close}
        title="Erase from the history"
        description="The words are deleted from the history, the search, the stored deliveries of webhooks and the logs of agents. Everybody can see that something was erased. This cannot be undone."
        submitLabel="Erase"
        variant="danger"
        onSubmit={erase}
      >
        {() => <Scope participant={item?.participant} />}
      </FormDialog>
    </EraseContext>
  );
}

function Scope({ participant }: { readonly participant: TimelineItem['participant'] | undefined }) {
  return (
    <fieldset className="grid gap-2 text-control">
      <legend className="sr-only">What to erase</legend>
      <label className="flex items-start gap-2">
        <input type="radio" name="what" value="message" defaultChecked className="mt-1" />
        This message
      </label>
      {participant ? (
        <label className="flex items-start gap-2">
          <input type="radio" name="what" value="person" className="mt-1" />
          <span className="min-w-0 wrap-anywhere">
            All that {participant.name || participant.identity} said in this session
          </span>
        </label>
      ) : null}
    </fieldset>
  );
}
