import { useQuery } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { useService } from '../../service/service.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { keptFor } from '../audit/audit-texts.ts';

interface RetentionDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly projectId: string;
  readonly name: string;
}

export function RetentionDialog(props: RetentionDialogProps) {
  const { isOpen, onClose, name } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`How long “${name}” keeps histories`}
      description="Sessions that were closed earlier, and older messages of active sessions, are deleted within a day. This cannot be undone."
    >
      <CurrentRetention {...props} />
    </Dialog>
  );
}

function CurrentRetention(props: RetentionDialogProps) {
  const { client } = useService();
  const { projectId } = props;
  const query = useQuery({
    queryKey: ['project', projectId, 'retention'],
    queryFn: ({ signal }) => client.projects.get(projectId, { signal }),
    // What is typed stays.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query} label="the project" skeleton={<Skeleton className="h-16 w-full" />}>
      {({ retentionDays }) => <RetentionForm {...props} days={retentionDays ?? null} />}
    </Loaded>
  );
}

function RetentionForm({
  onClose,
  projectId,
  days,
}: RetentionDialogProps & { readonly days: number | null }) {
  const { client } = useService();
  const { isBusy, error, submit } = useSubmit();
  const save = async (form: FormData) => {
    const typed = formText(form, 'retentionDays').trim();
    const chosen = typed === '' ? null : Number(typed);
    await client.projects.setRetention(projectId, chosen);
    toast(`Histories are kept ${keptFor(chosen)}.`);
    onClose();
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    submit(async () => await save(form));
  };
  const daysError = fieldError(error, 'retentionDays');
  return (
    <form onSubmit={send} className="grid gap-4">
      <TextField
        label="Days"
        name="retentionDays"
        type="number"
        min={1}
        max={3650}
        step={1}
        defaultValue={days ?? ''}
        hint="Leave it empty to keep them for ever."
        autoComplete="off"
        error={daysError}
      />
      {error && !daysError ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Save" isBusy={isBusy} />
    </form>
  );
}
