import { useSelector } from '@tanstack/react-store';
import { Copy, Download } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { useService } from '../../service/service.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { downloadText } from '../../ui/download-text.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { toast } from '../../ui/toast.tsx';
import { LogFollower, type LogSnapshot } from './log-follower.ts';
import { type LogRow, logText, matchingRows } from './log-lines.ts';
import { LogList } from './log-list.tsx';

interface LogViewProps {
  readonly agentId: string;
  readonly name: string;
}

export function NoLog() {
  return (
    <section aria-labelledby="logs" className="min-w-0 flex-1">
      <div className="border-line border-b px-4 py-2">
        <h2 id="logs" className="font-strong text-control">
          Logs
        </h2>
      </div>
      <p className="p-4 text-control text-ink-2">
        An external agent’s lines stay where it runs: read them there.
      </p>
    </section>
  );
}

/** Must be rendered with the agent's id as its key. */
export function LogView({ agentId, name }: LogViewProps) {
  const { client } = useService();
  const [follower] = useState(() => new LogFollower(client, agentId));
  useEffect(() => {
    follower.start();
    return follower.stop;
  }, [follower]);
  const log = useSelector(follower.log);
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search);
  const rows = matchingRows(log.rows, wanted);
  return (
    <section aria-labelledby="logs" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-2">
        <h2 id="logs" className="font-strong text-control">
          Logs
        </h2>
        <SearchField search={search} onSearch={setSearch} found={rows.length} />
        <FileButtons rows={rows} name={name} />
        <span className="ml-auto">
          <FollowState log={log} />
        </span>
      </div>
      {log.error ? (
        <div className="p-4">
          <ErrorNotice error={log.error} onRetry={follower.start} />
        </div>
      ) : null}
      {rows.length > 0 ? (
        <LogList rows={rows} search={wanted} count={log.dropped + rows.length} />
      ) : (
        <p className="p-4 text-control text-ink-2">{emptyText(log, wanted)}</p>
      )}
    </section>
  );
}

interface SearchFieldProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly found: number;
}

function SearchField({ search, onSearch, found }: SearchFieldProps) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <input
        type="search"
        aria-label="Search the log"
        placeholder="Search"
        value={search}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onSearch('');
        }}
        className="h-7 w-40 min-w-0 rounded-control border border-line bg-surface px-2 text-control text-ink placeholder:text-ink-3 hover:border-ink-3"
      />
      <output className="whitespace-nowrap text-ink-3 text-label">
        {search.trim() === '' ? '' : `${found.toLocaleString('en')} found`}
      </output>
    </span>
  );
}

function FileButtons({ rows, name }: { readonly rows: readonly LogRow[]; readonly name: string }) {
  const copy = async () => {
    const isCopied = await copyText(logText(rows));
    const count = rows.length === 1 ? '1 line' : `${rows.length.toLocaleString('en')} lines`;
    toast(isCopied ? `${count} copied.` : 'The browser did not allow copying. Download the lines.');
  };
  return (
    <span className="flex items-center gap-1">
      <IconButton
        label="Copy the lines"
        disabled={rows.length === 0}
        onClick={() => void copy()}
        className="size-6"
      >
        <Copy aria-hidden size={14} />
      </IconButton>
      <IconButton
        label="Download the lines"
        disabled={rows.length === 0}
        onClick={() => downloadText(`${name}.log`, [logText(rows)], 'text/plain')}
        className="size-6"
      >
        <Download aria-hidden size={14} />
      </IconButton>
    </span>
  );
}

const STATES = {
  connecting: ['starting', 'Opening'],
  following: ['live', 'Following'],
  complete: ['off', 'Complete'],
  failed: ['warning', 'Not followed'],
} as const;

function FollowState({ log }: { readonly log: LogSnapshot }) {
  const [tone, word] = STATES[log.state];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-ink-2 text-label">
      <StatusDot tone={tone} />
      {word}
    </span>
  );
}

function emptyText({ rows, state, error }: LogSnapshot, search: string): string {
  if (rows.length > 0) return `No line contains “${search.trim()}”.`;
  if (error) return '';
  if (state === 'complete') return 'It wrote no lines, or none of them is kept any more.';
  return 'No lines yet. They appear here as the agent writes them.';
}
