import type { TimelineItem } from '@session/client';
import { BotOff, Captions, CircleAlert, Clock, Scissors, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { type MessageMark, marksOf, transcribersOf } from './message-facts.ts';

interface MessageNotesProps {
  readonly item: TimelineItem;
  readonly unread: string | undefined;
  readonly onRetry: (id: string) => void;
}

const MARKS = {
  interrupted: 'Interrupted here',
  truncated: 'Incomplete: the rest was not kept',
  unfinished: 'Not known to its end yet',
} as const satisfies Record<MessageMark, string>;

export function MessageNotes({ item, unread, onRetry }: MessageNotesProps) {
  const { state, id } = item;
  const transcribers = transcribersOf(item);
  return (
    <>
      {marksOf(item).map((mark) => (
        <Note key={mark} icon={<Scissors size={12} />}>
          {MARKS[mark]}
        </Note>
      ))}
      {transcribers && <Note icon={<Captions size={12} />}>Transcribed by {transcribers}</Note>}
      {unread && <Note icon={<BotOff size={12} />}>{unread}</Note>}
      {state === 'sending' && <Note icon={<Clock size={12} />}>Sending …</Note>}
      {state === 'failed' && (
        <Note icon={<CircleAlert size={12} />} isWarning onRetry={() => onRetry(id)}>
          Not sent
        </Note>
      )}
      {state === 'unrecorded' && (
        <Note icon={<Unplug size={12} />} isWarning onRetry={() => onRetry(id)}>
          Said here, not recorded
        </Note>
      )}
    </>
  );
}

interface NoteProps {
  readonly icon: ReactNode;
  readonly isWarning?: boolean;
  readonly onRetry?: () => void;
  readonly children: ReactNode;
}

function Note({ icon, isWarning = false, onRetry, children }: NoteProps) {
  return (
    <p
      className={`mt-1 flex min-h-6 items-center gap-1.5 text-label ${isWarning ? 'text-gap' : 'text-ink-3'}`}
    >
      <span aria-hidden className="shrink-0">
        {icon}
      </span>
      {children}
      {onRetry && (
        <Button size="small" variant="secondary" className="ms-2" onClick={onRetry}>
          Try again
        </Button>
      )}
    </p>
  );
}
