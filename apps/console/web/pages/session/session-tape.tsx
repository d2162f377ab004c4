import type { Session } from '@session/contract';
import { Tape } from '../../ui/tape.tsx';
import { shareOf } from '../../ui/tape-geometry.ts';
import { isRecorded, tapeSpan } from '../../ui/tape-span.ts';
import { useNow } from '../../ui/use-now.ts';
import type { ShownMoment } from './use-moment.ts';

const LIVE_EDGE = 0.99;

interface SessionTapeProps {
  readonly session: Session;
  readonly moment: ShownMoment;
}

export function SessionTape({ session, moment }: SessionTapeProps) {
  const span = tapeSpan(session, useNow());
  const go = (time: string) => {
    if (shareOf(time, span) >= LIVE_EDGE) moment.goLive();
    else moment.go(time);
  };
  return (
    <div className="border-line border-b px-4 pt-1 pb-2 sm:px-6">
      <Tape
        recording={session.recording}
        span={span}
        isLive={isRecorded(session)}
        isOpen={session.status === 'ACTIVE'}
        onGo={go}
        onGap={({ to }) => moment.go(to)}
      />
    </div>
  );
}
