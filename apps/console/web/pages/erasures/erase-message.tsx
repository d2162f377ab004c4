import type { TimelineItem } from '@session/client';
import type { Session } from '@session/contract';
import {
  createContext,
  type ReactNode,
  type SyntheticEvent,
  useCallback,
  useContext,
  useState,
} from 'react';
import { useService } from '../../service/service.ts';
import { useAllowed } from '../../service/use-allowed.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { refreshErasures } from './erasures-query.ts';

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
  const { mayDelete } = useAllowed(session);
  const [item, setItem] = useState<TimelineItem | null>(null);
  const close = useCallback(() => setItem(null), []);
  return (
    <EraseContext value={mayDelete ? setItem : null}>
      {children}
      <Dialog
        isOpen={item !== null}
        onClose={close}
        title="Erase from the history"
        description="The words are deleted from the history, the search, the stored deliveries of webhooks and the logs of agents. Everybody can see that something was erased. This cannot be undone."
      >
        {item ? <EraseForm session={session} item={item} onClose={close} /> : null}
      </Dialog>
    </EraseContext>
  );
}

interface EraseFormProps {
  readonly session: Session;
  readonly item: TimelineItem;
  readonly onClose: () => void;
}

function EraseForm({ session, item, onClose }: EraseFormProps) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const { id: sessionId, projectId } = session;
  const { participant } = item;
  const erase = async (isPerson: boolean) => {
    const scope =
      isPerson && participant ? { identity: participant.identity } : { messageIds: [item.id] };
    await client.erasures.create(projectId, { sessionId, ...scope });
    refreshErasures(queries, projectId);
    toast('Erasure requested. The page Erasures has its receipt.');
    onClose();
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isPerson = new FormData(event.currentTarget).get('what') === 'person';
    submit(async () => await erase(isPerson));
  };
  return (
    <form onSubmit={send} className="grid gap-4">
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
      {error ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Erase" isBusy={isBusy} variant="danger" />
    </form>
  );
}
