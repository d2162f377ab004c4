import type { Agent, AgentTurns } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../../service/service.ts';
import { stopwatchText } from '../../ui/durations.ts';
import { Fact } from '../../ui/fact.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { Time } from '../../ui/time.tsx';
import { agentTurnsQuery } from './agent-queries.ts';
import { turnBars } from './turn-bars.ts';

const HEIGHT = 40;
const STEP = 8;
const WIDTH = 6;

type Percentiles = AgentTurns['summary']['firstWordsMs'];

/** Shows nothing before the first answer, or with an older API, which does not list answers. */
export function TurnChart({ agent }: { readonly agent: Agent }) {
  const { client } = useService();
  const { data: turns } = useQuery(agentTurnsQuery(client, agent));
  if (!turns || turns.summary.turns === 0) return null;
  const { summary, items } = turns;
  return (
    <section aria-labelledby="turns" className="grid gap-3 border-line border-t p-4 sm:px-6">
      <h2 id="turns" className="font-strong text-control">
        Turns
      </h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-control">
        <Fact name="Answers">{summary.turns}</Fact>
        <Fact name="First words">{percentilesText(summary.firstWordsMs)}</Fact>
        <Fact name="Whole answer">{percentilesText(summary.durationMs)}</Fact>
      </dl>
      <Bars turns={items} />
      <details className="text-control">
        <summary className="cursor-pointer text-ink-2">The newest turns as a table</summary>
        <TurnTable turns={items} />
      </details>
    </section>
  );
}

function Bars({ turns }: { readonly turns: AgentTurns['items'] }) {
  const bars = turnBars(turns);
  return (
    <figure className="grid gap-1">
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${Math.max(bars.length, 12) * STEP} ${HEIGHT}`}
        className="h-16 w-full"
        preserveAspectRatio="none"
      >
        {bars.map(({ key, firstWords, duration }, index) => (
          <g key={key}>
            <Bar index={index} part={duration} tone="fill-line" />
            <Bar index={index} part={firstWords} tone="fill-iris" />
          </g>
        ))}
      </svg>
      <figcaption className="text-ink-3 text-label">
        Until the first words, and to the end of the answer. The newest is on the right.
      </figcaption>
    </figure>
  );
}

interface BarProps {
  readonly index: number;
  readonly part: number | null;
  readonly tone: string;
}

function Bar({ index, part, tone }: BarProps) {
  if (part === null) return null;
  const height = Math.max(1, part * HEIGHT);
  return (
    <rect x={index * STEP} y={HEIGHT - height} width={WIDTH} height={height} className={tone} />
  );
}

const COLUMNS = ['When', 'First words', 'Whole answer', 'Model', 'Tool calls', 'Tokens'];

function TurnTable({ turns }: { readonly turns: AgentTurns['items'] }) {
  return (
    <section ref={scrollable} aria-label="Table of turns" className="mt-2 max-h-80 overflow-auto">
      <table className="w-full border-collapse text-label">
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name} scope="col" className={`${CELL} font-medium text-ink-2`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {turns.map(({ messageId, timestamp, interrupted, truncated, figures }) => (
            <tr key={messageId}>
              <td className={CELL}>
                <Time at={timestamp} />
              </td>
              <td className={CELL}>{timeText(figures.firstWordsMs)}</td>
              <td className={CELL}>
                {timeText(figures.durationMs)}
                {interrupted ? ', interrupted' : null}
                {truncated ? ', broke off' : null}
              </td>
              <td className={`${CELL} wrap-anywhere`}>
                {figures.model ?? '–'}
                {figures.fallback ? ' (fallback)' : null}
              </td>
              <td className={CELL}>{figures.toolCalls ?? '–'}</td>
              <td className={CELL}>{tokensText(figures)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const CELL = 'border-line border-b px-2 py-1 text-left align-top tabular-nums';

function percentilesText({ p50, p95 }: Percentiles): string {
  if (p50 === null || p95 === null) return 'not measured';
  return `half within ${timeText(p50)}, 95 % within ${timeText(p95)}`;
}

function timeText(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 1000 ? `${Math.round(ms)} ms` : stopwatchText(ms);
}

function tokensText({ promptTokens, completionTokens }: AgentTurns['items'][number]['figures']) {
  if (promptTokens === undefined || completionTokens === undefined) return '–';
  return `${promptTokens.toLocaleString('en')} + ${completionTokens.toLocaleString('en')}`;
}
