import type { IssuedWebhook, Webhook, WebhookAttempt } from '@session/client';
import { useNavigate } from '@tanstack/react-router';
import { KeyRound, Pencil, Power, RotateCcw, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { type PageAction, usePageActions } from '../../ui/page-actions.ts';
import { RotationDialog } from '../../ui/rotation-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { TestResult } from './attempt-result.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

type Asked = 'edit' | 'replay' | 'rotate' | 'delete';

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly onIssued: (issued: IssuedWebhook) => void;
}

const SIZE = 14;

export function WebhookActions({ webhook, onIssued }: WebhookActionsProps) {
  const { client, queries } = useService();
  const { isBusy, error, submit } = useSubmit();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [tested, setTested] = useState<WebhookAttempt | null>(null);
  const { id, projectId, status } = webhook;
  const test = () => {
    setTested(null);
    submit(async () => setTested(await client.webhooks.test(id)));
  };
  const set = (next: 'active' | 'disabled') =>
    submit(async () => {
      await client.webhooks.change(id, { status: next });
      void refreshProjectList(queries, projectId, 'webhooks');
    });
  const isSending = status === 'active' || status === 'failing';
  const actions = [
    action('Send a test', <Send aria-hidden size={SIZE} />, test),
    isSending
      ? action('Disable', <Power aria-hidden size={SIZE} />, () => set('disabled'))
      : action(status === 'dead' ? 'Try again' : 'Enable', <Power aria-hidden size={SIZE} />, () =>
          set('active'),
        ),
    action('Replay …', <RotateCcw aria-hidden size={SIZE} />, () => setAsked('replay')),
    action('Rotate the secret …', <KeyRound aria-hidden size={SIZE} />, () => setAsked('rotate')),
    action('Edit …', <Pencil aria-hidden size={SIZE} />, () => setAsked('edit')),
    action('Delete …', <Trash2 aria-hidden size={SIZE} />, () => setAsked('delete')),
  ];
  usePageActions(actions);
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        {actions.map(({ key, name, icon, run }) => (
          <Button key={key} size="small" icon={icon} disabled={isBusy} onClick={run}>
            {name}
          </Button>
        ))}
      </div>
      <TestResult attempt={tested} isBusy={isBusy} />
      <ErrorNotice error={error} />
      <Dialogs {...{ webhook, onIssued, asked }} onClose={() => setAsked(null)} />
    </div>
  );
}

interface DialogsProps extends WebhookActionsProps {
  readonly asked: Asked | null;
  readonly onClose: () => void;
}

function Dialogs({ webhook, onIssued, asked, onClose }: DialogsProps) {
  const { client, queries } = useService();
  const navigate = useNavigate();
  const { id, projectId, url } = webhook;
  const remove = async () => {
    await client.webhooks.delete(id);
    await navigate({ to: '/projects/$projectId/webhooks', params: { projectId } });
    void refreshProjectList(queries, projectId, 'webhooks');
    toast('The webhook was deleted.');
  };
  return (
    <>
      <WebhookDialog
        isOpen={asked === 'edit'}
        onClose={onClose}
        projectId={projectId}
        webhook={webhook}
      />
      <ReplayDialog isOpen={asked === 'replay'} onClose={onClose} webhook={webhook} />
      <RotationDialog
        isOpen={asked === 'rotate'}
        onClose={onClose}
        title="Rotate the secret"
        description="The webhook gets a new secret. Until the time below ends, requests are signed with both."
        label="Hours for which the old secret signs too"
        onRotate={async (keepOldHours) =>
          onIssued(await client.webhooks.rotateSecret(id, { keepOldHours }))
        }
      />
      <ConfirmDialog
        isOpen={asked === 'delete'}
        onClose={onClose}
        title="Delete the webhook?"
        description={`Nothing more is sent to ${url}. Waiting messages are dropped.`}
        confirmLabel="Delete"
        onConfirm={remove}
      />
    </>
  );
}

function action(name: string, icon: PageAction['icon'], run: () => void): PageAction {
  return { key: name, name, kind: 'This webhook', icon, run };
}
