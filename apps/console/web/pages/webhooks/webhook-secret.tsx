import type { IssuedWebhook } from '@session/client';
import { NewSecret } from '../keys/new-secret.tsx';

interface NewWebhookSecretProps {
  readonly issued: IssuedWebhook;
  readonly onDone: () => void;
}

export function NewWebhookSecret({ issued: { url, secret }, onDone }: NewWebhookSecretProps) {
  return (
    <NewSecret key={secret} name={url} secret={secret} onDone={onDone}>
      <p className="text-control text-ink-2">
        Each request is signed with it, as Standard Webhooks says. Your server verifies{' '}
        <code className="font-mono text-label">webhook-signature</code> with a library of that
        standard.
      </p>
    </NewSecret>
  );
}
