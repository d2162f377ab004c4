import type { Webhook } from '@session/client';
import { type SyntheticEvent, useState } from 'react';
import { useService } from '../../service/service.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { refreshWebhooks } from './webhook-queries.ts';
import { localMinute } from './webhook-texts.ts';

interface ReplayDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly webhook: Webhook;
}

export function ReplayDialog(props: ReplayDialogProps) {
  const { isOpen, onClose } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Send messages again"
      description="Each message keeps its id, so your server can recognise messages that it already has."
    >
      <ReplayForm {...props} />
    </Dialog>
  );
}

const HOUR_MS = 3_600_000;

function ReplayForm({ onClose, webhook: { id, projectId, failingSince } }: ReplayDialogProps) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const replay = async (since: string) => {
    const { sessions } = await client.webhooks.replay(id, { since: new Date(since).toISOString() });
    refreshWebhooks(queries, projectId);
    toast(
      sessions === 1 ? 'Sending again in 1 session.' : `Sending again in ${sessions} sessions.`,
    );
    onClose();
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const since = formText(new FormData(event.currentTarget), 'since');
    submit(async () => await replay(since));
  };
  const [opened] = useState(() => Date.now());
  const since = failingSince ? Date.parse(failingSince) : opened - HOUR_MS;
  const sinceError = fieldError(error, 'since');
  return (
    <form onSubmit={send} className="grid gap-4">
      <TextField
        label="Messages stored since"
        name="since"
        type="datetime-local"
        required
        defaultValue={localMinute(since)}
        max={localMinute(opened)}
        error={sinceError}
      />
      {error && !sinceError ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Send again" isBusy={isBusy} />
    </form>
  );
}
