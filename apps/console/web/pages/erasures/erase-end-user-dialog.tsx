import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { formText } from '../../ui/form-text.ts';

interface EraseEndUserDialogProps extends DialogState {
  readonly projectId: string;
}

export function EraseEndUserDialog({ projectId, ...dialog }: EraseEndUserDialogProps) {
  const { client, queries } = useService();
  const erase = async (form: FormData) => {
    const participantId = formText(form, 'participantId');
    await client.erasures.create(projectId, { participantId });
    void refreshProjectList(queries, projectId, 'erasures');
  };
  return (
    <FormDialog
      {...dialog}
      title="Erase an end user"
      description="Everything that the end user said in this project is deleted, their account with name and id is forgotten, and they are removed from every room. The names, ids and metadata of sessions stay. This cannot be undone."
      submitLabel="Erase"
      variant="danger"
      onSubmit={erase}
      isBesideField={(error) => namesFields(error, ['participantId'])}
    >
      {(error) => (
        <TextField
          label="Your id of the end user"
          name="participantId"
          required
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
          error={fieldError(error, 'participantId')}
        />
      )}
    </FormDialog>
  );
}
