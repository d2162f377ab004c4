import type { IssuedWebhook, Webhook } from '@session/client';
import { useService } from '../../service/service.ts';
import { RotationDialog } from '../../ui/rotation-dialog.tsx';

interface RotateSecretDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedWebhook) => void;
  readonly webhook: Webhook;
}

export function RotateSecretDialog({ webhook, onIssued, ...dialog }: RotateSecretDialogProps) {
  const { client } = useService();
  return (
    <RotationDialog
      {...dialog}
      title="Rotate the secret"
      description="The webhook gets a new secret. Until the time below ends, requests are signed with both."
      label="Hours for which the old secret signs too"
      onRotate={async (keepOldHours) =>
        onIssued(await client.webhooks.rotateSecret(webhook.id, { keepOldHours }))
      }
    />
  );
}
