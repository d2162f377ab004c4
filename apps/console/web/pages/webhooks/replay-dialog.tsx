import type { Webhook } from '@session/client';
import { useState } from 'react';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { formText } from '../../ui/form-text.ts';
import { toast } from '../../ui/toast.tsx';
import { localMinute } from './webhook-texts.ts';

interface ReplayDialogProps extends DialogState {
  readonly webhook: Webhook;
}

export function ReplayDialog({ webhook, ...dialog }: ReplayDialogProps) {
  const { client, queries } = useService();
  const { id, projectId, failingSince } = webhook;
  const replay = async (form: FormData) => {
    const since = new Date(formText(form, 'since')).toISOString();
    const { sessions } = await client.webhooks.replay(id, { since });
    void refreshProjectList(queries, projectId, 'webhooks');
    toast(
      sessions === 1 ? 'Sending again in 1 session.' : `Sending again in ${sessions} sessions.`,
    );
  };
  return (
    <FormDialog
      {...dialog}
      title="Send messages again"
      description="Each message keeps its id, so your server can recognise messages that it already has."
      submitLabel="Send again"
      onSubmit={replay}
      isBesideField={(error) => namesFields(error, ['since'])}
    >
      {(error) => <SinceField failingSince={failingSince} error={error} />}
    </FormDialog>
  );
}

const HOUR_MS = 3_600_000;

interface SinceFieldProps extends Pick<Webhook, 'failingSince'> {
  readonly error: unknown;
}

function SinceField({ failingSince, error }: SinceFieldProps) {
  const [opened] = useState(() => Date.now());
  const since = failingSince ? Date.parse(failingSince) : opened - HOUR_MS;
  return (
    <TextField
      label="Messages stored since"
      name="since"
      type="datetime-local"
      required
      defaultValue={localMinute(since)}
      max={localMinute(opened)}
      error={fieldError(error, 'since')}
    />
  );
}
