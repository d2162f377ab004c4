import type { ReactNode } from 'react';
import { IssuedSection } from './issued-section.tsx';

interface NewSecretProps {
  readonly name: string;
  readonly secret: string;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

export function NewSecret({ name, secret, onDone, children }: NewSecretProps) {
  return (
    <IssuedSection
      title={`The secret of “${name}”`}
      text="Copy it now, and keep it as you keep a password. It is not shown again."
      code={secret}
      copyLabel="Copy the secret"
      doneLabel="I have stored it"
      onDone={onDone}
    >
      {children}
    </IssuedSection>
  );
}
