import type { Token } from 'marked';
import type { ReactNode } from 'react';
import { scrollable } from '../../../ui/scrollable.ts';
import { numbered } from './numbered.ts';

interface Cell {
  readonly tokens: readonly Token[];
  readonly align: 'center' | 'left' | 'right' | null;
}

interface TableProps {
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly render: (tokens: readonly Token[]) => ReactNode;
}

const ALIGNED = { left: 'text-left', center: 'text-center', right: 'text-right' } as const;

export function Table({ header, rows, render }: TableProps) {
  return (
    <section ref={scrollable} aria-label="Table" className="overflow-x-auto">
      <table className="border-collapse text-control">
        <thead>
          <tr>
            {numbered(header).map(({ item, position }) => (
              <th key={position} scope="col" className={`${cellClass(item)} font-medium`}>
                {render(item.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {numbered(rows).map((row) => (
            <tr key={row.position}>
              {numbered(row.item).map(({ item, position }) => (
                <td key={position} className={cellClass(item)}>
                  {render(item.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function cellClass({ align }: Cell): string {
  return `border border-line px-2 py-1 align-top ${ALIGNED[align ?? 'left']}`;
}
