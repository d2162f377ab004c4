import type { Session } from '@session/contract';
import { CopyButton } from '../../ui/copy-button.tsx';

/** What a product noted on the session. An older API knows neither. */
export function SessionFacts({
  metadata,
  externalId,
}: Partial<Pick<Session, 'metadata' | 'externalId'>>) {
  const entries = Object.entries(metadata ?? {});
  if (!externalId && entries.length === 0) return null;
  return (
    <section aria-labelledby="facts" className="mt-auto grid gap-2 border-line border-t p-4">
      <h2 id="facts" className="font-strong text-control">
        Metadata
      </h2>
      <dl className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)] gap-x-4 gap-y-1 text-control">
        {externalId ? (
          <>
            <dt className="text-ink-3">External id</dt>
            <dd className="flex items-start gap-1">
              <span dir="auto" className="min-w-0 wrap-anywhere">
                {externalId}
              </span>
              <CopyButton text={externalId} label="Copy the external id" />
            </dd>
          </>
        ) : null}
        {entries.map(([key, value]) => (
          <Entry key={key} name={key} value={value} />
        ))}
      </dl>
    </section>
  );
}

function Entry({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt dir="auto" className="text-ink-3 wrap-anywhere">
        {name}
      </dt>
      <dd dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {value}
      </dd>
    </>
  );
}
