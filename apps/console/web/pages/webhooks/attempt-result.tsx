import type { WebhookAttempt } from '@session/client';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { Response } from './deliveries.tsx';
import { attemptText } from './webhook-texts.ts';

interface TestResultProps {
  readonly attempt: WebhookAttempt | null;
  readonly isBusy: boolean;
}

/** Renders the element before its text, so that screen readers announce the text. */
export function TestResult({ attempt, isBusy }: TestResultProps) {
  return (
    <output aria-label="The test" className="grid gap-2 text-control text-ink-2 empty:sr-only">
      {attempt === null && isBusy ? <span>Waiting for an answer …</span> : null}
      {attempt === null ? null : <Result attempt={attempt} />}
    </output>
  );
}

function Result({ attempt }: { readonly attempt: WebhookAttempt }) {
  const hasFailed = attempt.failure !== null;
  const Icon = hasFailed ? TriangleAlert : CircleCheck;
  return (
    <>
      <span className="flex items-start gap-2">
        <Icon
          aria-hidden
          size={16}
          className={hasFailed ? 'mt-0.5 shrink-0 text-gap' : 'mt-0.5 shrink-0 text-ok'}
        />
        <span className="min-w-0 wrap-anywhere">
          {hasFailed ? 'The test failed: ' : 'The test arrived: '}
          {attemptText(attempt)}.
        </span>
      </span>
      <Response text={attempt.response} />
    </>
  );
}
