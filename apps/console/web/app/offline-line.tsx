import { WifiOff } from 'lucide-react';
import { useOfflineSince } from '../service/service.ts';
import { durationText } from '../ui/durations.ts';
import { useNow } from '../ui/use-now.ts';

export function OfflineLine() {
  const since = useOfflineSince();
  return (
    <div aria-live="polite" className="row-start-2 md:col-start-2 md:row-start-1">
      {since === null ? null : <Line since={since} />}
    </div>
  );
}

function Line({ since }: { readonly since: number }) {
  return (
    <p className="flex items-center gap-2 border-gap/40 border-b bg-gap-soft px-4 py-1.5 text-control text-ink sm:px-8">
      <WifiOff aria-hidden size={16} className="shrink-0 text-gap" />
      <span className="min-w-0">
        <span className="font-medium">The service cannot be reached.</span> What you have read stays
        here; what you say is sent when it is back.
      </span>
      {/* Read aloud every second it would be a nuisance. */}
      <span aria-hidden className="ml-auto font-medium text-gap tabular-nums">
        <Seconds since={since} />
      </span>
    </p>
  );
}

function Seconds({ since }: { readonly since: number }) {
  return durationText(useNow('second') - since);
}
