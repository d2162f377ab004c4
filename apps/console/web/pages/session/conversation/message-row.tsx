import type { TimelineItem } from '@session/client';
import { Eraser, Link2 } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { copyLink } from '../../../ui/copy-link.ts';
import { useErase } from '../../erasures/erase-message.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { type MessageVoice, nameOf, unknownKindOf } from './message-facts.ts';
import { MessageNotes } from './message-notes.tsx';
import { RowTime } from './row-time.tsx';

interface MessageRowProps {
  readonly item: TimelineItem;
  readonly voice: MessageVoice;
  readonly isFirst: boolean;
  readonly unread: string | undefined;
  readonly onRetry: (id: string) => void;
}

const EDGES = { agent: 'border-iris', self: 'border-ink-2', other: 'border-ink-3/50' } as const;

export const MessageRow = memo(({ item, voice, isFirst, unread, onRetry }: MessageRowProps) => {
  const { timestamp } = item;
  const isSpeaking = item.state === 'speaking';
  const kind = unknownKindOf(item);
  return (
    <div
      className={classNames(
        'group/row relative grid gap-x-4 px-4 sm:grid-cols-[68px_minmax(0,1fr)] sm:px-6',
        isFirst ? 'pt-4' : 'pt-1.5',
      )}
    >
      <div className="hidden sm:block">
        <RowTime timestamp={timestamp} isQuiet={!isFirst} />
      </div>
      <div className={classNames('min-w-0 max-w-180 border-s-2 ps-3', edgeOf(item, voice))}>
        {isFirst && (
          <p className="flex items-baseline gap-2 text-control">
            <span
              dir="auto"
              className={classNames(
                'min-w-0 truncate font-strong',
                voice === 'agent' ? 'text-iris' : 'text-ink',
              )}
            >
              {nameOf(item)}
            </span>
            <span className="sm:hidden">
              <RowTime timestamp={timestamp} />
            </span>
            {kind && <Badge>{kind}</Badge>}
          </p>
        )}
        <div
          className={classNames(
            item.state === 'sending' && 'text-ink-2',
            isSpeaking &&
              '*:*:last:after:ms-1 *:*:last:after:inline-block *:*:last:after:h-4 *:*:last:after:w-2 *:*:last:after:animate-breathe *:*:last:after:bg-iris *:*:last:after:align-text-bottom',
          )}
        >
          <Markdown text={item.content} isGrowing={isSpeaking} />
        </div>
        <MessageNotes item={item} unread={unread} onRetry={onRetry} />
      </div>
      {timestamp !== null && (
        <>
          <RowButton
            label="Copy the link to this message"
            isFirst={isFirst}
            className="end-0"
            onClick={() => void copyLink(linkTo(timestamp))}
          >
            <Link2 aria-hidden size={14} />
          </RowButton>
          <EraseButton item={item} isFirst={isFirst} />
        </>
      )}
    </div>
  );
});
MessageRow.displayName = 'MessageRow';

function edgeOf({ state }: TimelineItem, voice: MessageVoice): string {
  if (state === 'failed') return 'border-gap';
  if (state === 'unrecorded') return 'border-dashed border-gap';
  if (state === 'sending') return `border-dotted ${EDGES[voice]}`;
  return EDGES[voice];
}

interface EraseButtonProps {
  readonly item: TimelineItem;
  readonly isFirst: boolean;
}

function EraseButton({ item, isFirst }: EraseButtonProps) {
  const ask = useErase();
  if (!ask) return null;
  return (
    <RowButton
      label="Erase this message"
      isFirst={isFirst}
      className="end-6"
      onClick={() => ask(item)}
    >
      <Eraser aria-hidden size={14} />
    </RowButton>
  );
}

interface RowButtonProps {
  readonly label: string;
  readonly isFirst: boolean;
  readonly className: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function RowButton({ label, isFirst, className, onClick, children }: RowButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className={classNames(
        'absolute inline-flex size-6 cursor-pointer items-center justify-center rounded-control text-ink-3 opacity-0 hover:text-ink focus-visible:opacity-100 group-hover/row:opacity-100',
        // A touch screen has no hover.
        isFirst ? 'top-3.5 pointer-coarse:opacity-100' : 'top-1.5',
        className,
      )}
    >
      {children}
    </button>
  );
}

function linkTo(timestamp: string): string {
  return `${location.origin}${location.pathname}?${new URLSearchParams({ at: timestamp })}`;
}
