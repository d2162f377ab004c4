import type { Statistics } from '@session/contract';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { Section } from '../../ui/section.tsx';
import { type Finding, findingsOf, webhookFinding } from './drift.ts';

interface FindingsProps {
  readonly drift: Statistics['drift'];
  readonly webhooks: Statistics['webhooks'];
  readonly hasRecorders: boolean;
}

export function Findings({ drift, webhooks, hasRecorders }: FindingsProps) {
  const findings = findingsOf(drift);
  // Without a session there is no recorder that could have received a webhook.
  const all = hasRecorders || webhooks.lastAt ? [...findings, webhookFinding(webhooks)] : findings;
  const wrong = all.filter(({ isFine }) => !isFine);
  const fine = all.filter(({ isFine }) => isFine);
  return (
    <Section id="health" title={titleOf(wrong.length)}>
      {wrong.length > 0 ? (
        <ul className="grid gap-2">
          {wrong.map((finding) => (
            <Wrong key={finding.key} finding={finding} />
          ))}
        </ul>
      ) : null}
      <ul className="grid gap-x-8 gap-y-1.5 md:grid-cols-2">
        {fine.map(({ key, sentence }) => (
          <li key={key} className="flex items-start gap-2 text-control text-ink-2">
            <CircleCheck aria-hidden size={16} className="mt-0.5 shrink-0 text-ok" />
            <span className="min-w-0 wrap-anywhere">{sentence}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Wrong({ finding: { sentence, advice } }: { readonly finding: Finding }) {
  return (
    <li className="flex gap-3 rounded-card border border-gap/40 bg-gap-soft p-3 text-control">
      <TriangleAlert aria-hidden size={18} className="mt-px shrink-0 text-gap" />
      <div className="min-w-0">
        <p className="font-strong text-ink wrap-anywhere">{sentence}</p>
        {advice ? <p className="text-ink-2 wrap-anywhere">{advice}</p> : null}
      </div>
    </li>
  );
}

function titleOf(count: number): string {
  if (count === 0) return 'Everything is as it should be';
  return count === 1 ? '1 thing needs a look' : `${count} things need a look`;
}
