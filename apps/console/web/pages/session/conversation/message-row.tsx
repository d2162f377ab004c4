import type { TimelineItem } from '@session/client';
import { memo } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { EraseButton } from './erase-button.tsx';
import { type MessageVoice, nameOf, unknownKindOf } from './message-facts.ts';
import { MessageLink } from './message-link.tsx';
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
        <RowTime timestamp={item.timestamp} isQuiet={!isFirst} />
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
              <RowTime timestamp={item.timestamp} />
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
      {item.timestamp !== null && <MessageLink timestamp={item.timestamp} isFirst={isFirst} />}
      {item.timestamp !== null && <EraseButton item={item} isFirst={isFirst} />}
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
