import type { SyntheticEvent } from 'react';
import { useService } from '../../service/service.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { useSubmit } from '../../ui/use-submit.ts';
import { refreshErasures } from './erasures-query.ts';

interface EraseEndUserDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly projectId: string;
}

export function EraseEndUserDialog(props: EraseEndUserDialogProps) {
  const { isOpen, onClose } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Erase an end user"
      description="Everything that the end user said in this project is deleted, with their name and id, and they are removed from every room. This cannot be undone."
    >
      <EraseForm {...props} />
    </Dialog>
  );
}

function EraseForm({ onClose, projectId }: EraseEndUserDialogProps) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const erase = async (participantId: string) => {
    await client.erasures.create(projectId, { participantId });
    refreshErasures(queries, projectId);
    onClose();
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const participantId = formText(new FormData(event.currentTarget), 'participantId');
    submit(async () => await erase(participantId));
  };
  const idError = fieldError(error, 'participantId');
  return (
    <form onSubmit={send} className="grid gap-4">
      <TextField
        label="Your id of the end user"
        name="participantId"
        required
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        error={idError}
      />
      {error && !idError ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Erase" isBusy={isBusy} variant="danger" />
    </form>
  );
}
