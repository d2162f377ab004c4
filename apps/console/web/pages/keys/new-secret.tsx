import type { IssuedApiKey } from '@session/client';
import { useCallback } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopiedCode, ExampleRequest } from './example-request.tsx';

interface NewSecretProps {
  readonly issued: IssuedApiKey;
  readonly onDone: () => void;
}

/** Shows a secret until the user has stored it. It takes the focus, since the dialog that asked for it has closed. */
export function NewSecret({ issued, onDone }: NewSecretProps) {
  const focus = useCallback((heading: HTMLElement | null) => heading?.focus(), []);
  const { name, secret, projectId } = issued;
  return (
    <section
      aria-labelledby="new-secret"
      className="grid gap-4 rounded-card border border-iris bg-surface p-4 sm:p-6"
    >
      <div className="grid gap-1">
        <h2
          id="new-secret"
          ref={focus}
          tabIndex={-1}
          className="font-strong text-title outline-none wrap-anywhere"
        >
          The secret of “{name}”
        </h2>
        <p className="text-ink-2">
          Copy it now, and keep it as you keep a password. It is not shown again.
        </p>
      </div>
      <CopiedCode text={secret} label="Copy the secret" />
      <p className="text-control text-ink-2">A request with it, which lists the sessions:</p>
      <ExampleRequest projectId={projectId} secret={secret} />
      <Button onClick={onDone} className="justify-self-end">
        I have stored it
      </Button>
    </section>
  );
}
