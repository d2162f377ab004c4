import { type IssuedWebhook, isApiError, type Webhook } from '@session/client';
import { useId, useState } from 'react';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Dialog, type DialogState } from '../../ui/dialog.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { DialogForm } from '../../ui/form.tsx';
import { formText } from '../../ui/form-text.ts';
import { changedEvents, EVENTS, typesOf, typesWithoutBox, webhookTypes } from './webhook-texts.ts';

interface WebhookDialogProps extends DialogState {
  readonly projectId: string;
  readonly webhook: Webhook | null;
  readonly onIssued?: (issued: IssuedWebhook) => void;
}

export function WebhookDialog(props: WebhookDialogProps) {
  const { isOpen, onClose, webhook } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={webhook ? 'Edit the webhook' : 'Create a webhook'}
      {...(!webhook && {
        description:
          'It gets every message stored from now on. Requests that your server does not accept are retried for three days.',
      })}
      width="medium"
    >
      <WebhookForm {...props} />
    </Dialog>
  );
}

const FIELDS = ['url', 'description', 'events', 'content'];

function WebhookForm({ onClose, projectId, webhook, onIssued }: WebhookDialogProps) {
  const { client, queries } = useService();
  // A later read must not count as a change by the user.
  const [stored] = useState(() => webhook?.events ?? []);
  const [hasEvents, setHasEvents] = useState(true);
  const save = async (form: FormData, signal: AbortSignal) => {
    const ticked = webhookTypes(form.getAll('events'));
    const isChosen = ticked.length + typesWithoutBox(stored).length > 0;
    setHasEvents(isChosen);
    if (!isChosen) return;
    const body = { ...bodyOf(form), events: changedEvents(ticked, stored) };
    try {
      if (webhook) await client.webhooks.change(webhook.id, body);
      else onIssued?.(await client.webhooks.create(projectId, body));
    } finally {
      void refreshProjectList(queries, projectId, 'webhooks');
    }
    if (!signal.aborted) onClose();
  };
  return (
    <DialogForm
      onClose={onClose}
      submitLabel={webhook ? 'Save' : 'Create'}
      onSubmit={save}
      isBesideField={(error) => urlErrorOf(error) !== undefined || namesFields(error, FIELDS)}
    >
      {(error) => (
        <>
          <TextField
            label="URL"
            name="url"
            type="url"
            required
            maxLength={2000}
            defaultValue={webhook?.url}
            placeholder="https://example.org/conversations"
            autoComplete="off"
            error={urlErrorOf(error)}
          />
          <TextField
            label="Description (optional)"
            name="description"
            maxLength={200}
            defaultValue={webhook?.description}
            autoComplete="off"
            error={fieldError(error, 'description')}
          />
          <Events
            chosen={typesOf({ events: stored })}
            onChange={() => setHasEvents(true)}
            fault={hasEvents ? fieldError(error, 'events') : 'Choose at least one.'}
          />
          <Select
            label="Content"
            name="content"
            defaultValue={webhook?.content ?? 'full'}
            error={fieldError(error, 'content')}
          >
            <option value="full">With words and metadata</option>
            <option value="none">Only ids, roles and times</option>
          </Select>
        </>
      )}
    </DialogForm>
  );
}

function urlErrorOf(error: unknown): string | undefined {
  return isApiError(error, 'invalid_webhook_url') ? error.detail : fieldError(error, 'url');
}

interface EventsProps {
  readonly chosen: readonly string[];
  readonly fault: string | undefined;
  readonly onChange: () => void;
}

function Events({ chosen, fault, onChange }: EventsProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={fault ? id : undefined} className="grid gap-2">
      <legend className="mb-1.5 font-medium text-control text-ink-2">Events</legend>
      {EVENTS.map(({ type, title, hint }) => (
        <Checkbox
          key={type}
          name="events"
          value={type}
          label={title}
          hint={hint}
          defaultChecked={chosen.includes(type)}
          onChange={onChange}
        />
      ))}
      {fault ? (
        <p id={id} role="alert" className="font-medium text-gap text-label">
          {fault}
        </p>
      ) : null}
    </fieldset>
  );
}

function bodyOf(form: FormData) {
  return {
    url: formText(form, 'url').trim(),
    description: formText(form, 'description').trim(),
    content: form.get('content') === 'none' ? ('none' as const) : ('full' as const),
  };
}
