import type { Conversation, TimelineItem } from '@session/client';
import { ArrowDown } from 'lucide-react';
import { useCallback, useState } from 'react';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { scrollable } from '../../../ui/scrollable.ts';
import { ParsedTexts, ParsedTextsProvider } from '../markdown/parsed-texts.ts';
import { Announcer } from './announcer.tsx';
import { ConversationRow } from './conversation-row.tsx';
import { type ConversationWindow, useConversationWindow } from './conversation-window.ts';
import { keysOf, type Row, shows } from './fold-visits.ts';
import { isGroupStart, isNewDay } from './message-facts.ts';
import { useUnreadTexts } from './unread-texts.ts';
import { useConversationKeys } from './use-conversation-keys.ts';
import type { Jump } from './use-jump.ts';
import { type ListLayout, useLayout, useReadAhead, useScrollTo } from './use-layout.ts';

interface ConversationListProps {
  readonly conversation: Conversation;
  readonly sessionId: string;
  readonly selfId: string | undefined;
  readonly unseen: number;
  readonly jump: Jump;
  readonly onLive: () => void;
  readonly onGap: (time: string, step: -1 | 1) => void;
}

/**
 * The messages of a conversation. It is a region, not a log, because screen readers would read old rows of a log aloud
 * when they appear.
 */
export function ConversationList(props: ConversationListProps) {
  const { conversation, sessionId, selfId, unseen, jump, onLive } = props;
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const toScroller = useCallback((element: HTMLElement | null) => {
    scrollable(element);
    setScroller(element);
  }, []);
  const [texts] = useState(() => new ParsedTexts());
  const window = useConversationWindow(conversation);
  const unread = useUnreadTexts(sessionId, window.items);
  const onAtEnd = useCallback((is: boolean) => conversation.setAtEnd(is), [conversation]);
  const layout = useLayout(window, scroller, onAtEnd);
  useScrollTo(layout.virtualizer, window, jump);
  useReadAhead(layout, window);
  const toEnd = () => {
    onLive();
    layout.virtualizer.scrollToEnd();
  };
  useConversationKeys({ layout, window, scroller, toEnd, onGap: props.onGap });
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={toScroller}
        aria-label="Conversation"
        className="h-full overflow-y-auto overflow-x-hidden -outline-offset-2 [overflow-anchor:none]"
      >
        <ParsedTextsProvider value={texts}>
          <RowList {...{ layout, window, unread, selfId, jump }} onRetry={useRetry(conversation)} />
        </ParsedTextsProvider>
      </section>
      <ListNotices window={window} jump={jump} />
      {layout.isAtEnd && !window.isDetached ? null : (
        <EndPill unseen={unseen} isDetached={window.isDetached} onClick={toEnd} />
      )}
      <UnreadStatus items={window.items} unread={unread} />
      <Announcer items={window.items} isAtEnd={layout.isAtEnd} selfId={selfId} />
    </div>
  );
}

function useRetry(conversation: Conversation) {
  return useCallback((id: string) => void conversation.sayAgain(id), [conversation]);
}

interface RowListProps {
  readonly layout: ListLayout;
  readonly window: ConversationWindow;
  readonly unread: ReadonlyMap<string, string>;
  readonly selfId: string | undefined;
  readonly jump: Jump;
  readonly onRetry: (id: string) => void;
}

function RowList({
  layout: { container, visible, measure },
  window: { rows },
  unread,
  selfId,
  jump,
  onRetry,
}: RowListProps) {
  const open = useOpenRows();
  return (
    <div ref={container} className="relative w-full">
      {visible.map(({ index, key }) => {
        const row = rows[index];
        if (!row) return null;
        const { item } = row;
        const before = lastItemOf(rows[index - 1]);
        return (
          <ConversationRow
            key={key}
            {...{ row, index, selfId, onRetry }}
            unread={unread.get(item.key)}
            isOpen={open.isOpen(row)}
            onToggle={open.toggle}
            isFirst={isGroupStart(item, before)}
            isNewDay={isNewDay(item, before)}
            isTarget={jump.key !== null && shows(row, jump.key)}
            measure={measure}
          />
        );
      })}
    </div>
  );
}

function lastItemOf(row: Row | undefined): TimelineItem | undefined {
  return row?.visits?.at(-1) ?? row?.item;
}

function ListNotices({ window, jump }: Pick<RowListProps, 'window' | 'jump'>) {
  const error = jump.error ?? window.error;
  if (error) {
    return (
      <div className="absolute inset-x-4 top-2 z-10 sm:inset-x-6">
        <ErrorNotice error={error} onRetry={window.error ? window.retry : undefined} />
      </div>
    );
  }
  const isReading = jump.status === 'reading' || window.isReadingOlder;
  if (!isReading) return null;
  return (
    <output className="absolute top-2 left-1/2 z-10 -translate-x-1/2 animate-appear-late rounded-full border border-line bg-surface px-3 py-1 text-ink-2 text-label shadow-float">
      {jump.status === 'reading' ? 'Opening that moment …' : 'Reading earlier messages …'}
    </output>
  );
}

interface EndPillProps {
  readonly unseen: number;
  readonly isDetached: boolean;
  readonly onClick: () => void;
}

function EndPill({ unseen, isDetached, onClick }: EndPillProps) {
  const text = unseen > 0 ? `${unseen} new` : isDetached ? 'Back to now' : 'Latest';
  return (
    <button
      type="button"
      onClick={onClick}
      title="G"
      className="absolute bottom-3 left-1/2 z-10 inline-flex h-8 -translate-x-1/2 animate-rise cursor-pointer items-center gap-1.5 rounded-full border border-line bg-surface px-3.5 font-medium text-control text-ink shadow-float hover:border-ink-3"
    >
      <ArrowDown aria-hidden size={14} className="text-iris" />
      {text}
    </button>
  );
}

const MAX_LENGTH = 100;

interface UnreadStatusProps {
  readonly items: readonly TimelineItem[];
  readonly unread: ReadonlyMap<string, string>;
}

/** Announces the text under the newest message that no agent has read. Screen readers need the element before its text. */
function UnreadStatus({ items, unread }: UnreadStatusProps) {
  const newest = unread.size === 0 ? undefined : items.findLast(({ key }) => unread.has(key));
  return (
    <output className="sr-only">
      {newest && `“${newest.content.slice(0, MAX_LENGTH)}”: ${unread.get(newest.key)}`}
    </output>
  );
}

interface OpenRows {
  readonly isOpen: (row: Row) => boolean;
  readonly toggle: (row: Row) => void;
}

/**
 * Tracks open rows by their messages, because a growing row gets another key, and a row that is scrolled away is not rendered.
 */
function useOpenRows(): OpenRows {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const isOpen = useCallback((row: Row) => keysOf(row).some((key) => keys.has(key)), [keys]);
  const toggle = useCallback((row: Row) => {
    setKeys((open) => {
      const own = keysOf(row);
      const others = [...open].filter((key) => !own.includes(key));
      return new Set(others.length < open.size ? others : [...others, ...own]);
    });
  }, []);
  return { isOpen, toggle };
}
