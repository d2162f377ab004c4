import { type ReactNode, useCallback, useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopiedCode } from './example-request.tsx';

interface IssuedSectionProps {
  readonly title: string;
  readonly text: string;
  readonly code: string;
  readonly copyLabel: string;
  readonly doneLabel: string;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/**
 * Shows `code` once, until the user confirms having it. Takes the focus, because the dialog that requested the code has closed.
 */
export function IssuedSection(props: IssuedSectionProps) {
  const { title, text, code, copyLabel, doneLabel, onDone, children } = props;
  const focus = useCallback((heading: HTMLElement | null) => heading?.focus(), []);
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid gap-4 rounded-card border border-iris bg-surface p-4 sm:p-6"
    >
      <div className="grid gap-1">
        <h2
          id={id}
          ref={focus}
          tabIndex={-1}
          className="font-strong text-title outline-none wrap-anywhere"
        >
          {title}
        </h2>
        <p className="text-ink-2 wrap-anywhere">{text}</p>
      </div>
      <CopiedCode text={code} label={copyLabel} />
      {children}
      <Button onClick={onDone} className="justify-self-end">
        {doneLabel}
      </Button>
    </section>
  );
}
