import { type ReactNode, useCallback } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopiedCode } from './example-request.tsx';

interface NewSecretProps {
  readonly name: string;
  readonly secret: string;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

/** Shows a secret until the user has stored it. Takes the focus, because the dialog that asked for the secret has closed. */
export function NewSecret({ name, secret, onDone, children }: NewSecretProps) {
  const focus = useCallback((heading: HTMLElement | null) => heading?.focus(), []);
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
      {children}
      <Button onClick={onDone} className="justify-self-end">
        I have stored it
      </Button>
    </section>
  );
}
