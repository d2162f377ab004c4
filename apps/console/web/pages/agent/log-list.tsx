import { ArrowDown } from 'lucide-react';
import { memo, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useLongList } from '../../ui/long-list.ts';
import { scrollable } from '../../ui/scrollable.ts';
import { gapText, type LogRow, markedParts } from './log-lines.ts';

const ROW_HEIGHT = 20;
const END_PX = 24;
/** A longer line is cut on the page, but copied and downloaded as a whole. */
const MAX_SHOWN = 4000;

interface LogListProps {
  readonly rows: readonly LogRow[];
  readonly search: string;
  /** The number of `rows` and of all rows that were dropped before them. Grows with each new row. */
  readonly count: number;
}

export function LogList({ rows, search, count }: LogListProps) {
  const scroller = useRef<HTMLElement | null>(null);
  // How many rows there were when the reader left the end; null while the end is shown.
  const [leftAt, setLeftAt] = useState<number | null>(null);
  const list = useLongList({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 20,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: END_PX,
  });
  const noteEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) => {
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= END_PX;
    setLeftAt((left) => (isAtEnd ? null : (left ?? count)));
  };
  return (
    <div className="relative flex min-h-0 flex-1">
      <section
        ref={(element) => {
          scroller.current = element;
          scrollable(element);
        }}
        aria-label="Lines of the log"
        onScroll={(event) => noteEnd(event.currentTarget)}
        className="min-h-0 flex-1 overflow-auto bg-sunken/50 py-2 [overflow-anchor:none]"
      >
        <div className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              data-index={index}
              ref={list.measureElement}
              className="absolute top-0 right-0 left-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row row={rows[index]} search={search} />
            </div>
          ))}
        </div>
      </section>
      <NewLines
        count={leftAt === null ? 0 : count - leftAt}
        onShow={() => {
          list.scrollToEnd();
          setLeftAt(null);
        }}
      />
    </div>
  );
}

interface RowProps {
  readonly row: LogRow | undefined;
  readonly search: string;
}

const Row = memo(function Row({ row, search }: RowProps) {
  if (!row) return null;
  if (row.type === 'gap') {
    return (
      <p className="mx-4 my-1 border-gap border-l-2 bg-gap-soft px-2 text-ink-2 text-label">
        {gapText(row.lines)}
      </p>
    );
  }
  const { timestamp, text } = row;
  const cut = text.length - MAX_SHOWN;
  return (
    <p className="flex gap-3 px-4 font-mono text-label leading-5">
      <time dateTime={timestamp} title={timestamp} className="shrink-0 text-ink-3 select-none">
        {clockOf(timestamp)}
      </time>
      <span className="min-w-0 whitespace-pre-wrap text-ink wrap-anywhere">
        <MarkedText text={cut > 0 ? text.slice(0, MAX_SHOWN) : text} search={search} />
        {cut > 0 ? (
          <i className="text-ink-3"> … {cut.toLocaleString('en')} more characters</i>
        ) : null}
      </span>
    </p>
  );
});

function MarkedText({ text, search }: { readonly text: string; readonly search: string }) {
  return markedParts(text, search).map((part) =>
    part.isMatch ? (
      <mark key={part.at} className="rounded-control bg-iris-soft text-iris">
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  );
}

function clockOf(timestamp: string): string {
  const at = new Date(timestamp);
  const parts = [at.getHours(), at.getMinutes(), at.getSeconds()];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${time}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

interface NewLinesProps {
  readonly count: number;
  readonly onShow: () => void;
}

function NewLines({ count, onShow }: NewLinesProps) {
  if (count === 0) return null;
  return (
    <Button
      size="small"
      icon={<ArrowDown aria-hidden size={14} />}
      onClick={onShow}
      className="absolute right-4 bottom-4 shadow-float"
    >
      {count === 1 ? '1 new line' : `${count.toLocaleString('en')} new lines`}
    </Button>
  );
}
