import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { CardList } from '../../../ui/card-list.tsx';
import { Section } from '../../../ui/section.tsx';
import { withChanged, withNew, without } from '../keyed-rows.ts';

type Keyed<Fields> = Fields & { readonly key: number };

interface RowEdit<Fields> {
  readonly onChange: (change: Partial<Omit<Keyed<Fields>, 'key'>>) => void;
  readonly onRemove: () => void;
}

interface DraftSectionProps<Fields> {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly Keyed<Fields>[];
  readonly hasCards?: boolean;
  readonly newRow: Fields;
  readonly maxRows: number;
  /** What a row is called: *Add* `a tool`. */
  readonly rowName: string;
  readonly fault: string | undefined;
  readonly onChange: (rows: readonly Keyed<Fields>[]) => void;
  readonly children: (row: Keyed<Fields>, index: number, edit: RowEdit<Fields>) => ReactNode;
}

export function DraftSection<Fields extends object>(props: DraftSectionProps<Fields>) {
  const { id, title, description, rows, hasCards, newRow, maxRows, rowName } = props;
  const { fault, onChange, children } = props;
  const shown = rows.map((row, index) =>
    children(row, index, {
      onChange: (change) => onChange(withChanged(rows, row.key, change)),
      onRemove: () => onChange(without(rows, row.key)),
    }),
  );
  const list = hasCards ? <ol className="grid gap-3">{shown}</ol> : <CardList>{shown}</CardList>;
  return (
    <Section id={id} title={title} description={description}>
      {rows.length > 0 ? list : null}
      <p className="font-medium text-gap text-label empty:hidden">{fault}</p>
      <div>
        <Button
          size="small"
          icon={<Plus aria-hidden size={14} />}
          disabled={rows.length >= maxRows}
          onClick={() => onChange(withNew(rows, newRow))}
        >
          Add {rowName}
        </Button>
      </div>
    </Section>
  );
}

interface DraftCardProps {
  readonly title: string;
  readonly removeLabel: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

export function DraftCard({ title, removeLabel, onRemove, children }: DraftCardProps) {
  return (
    <li className="grid gap-3 rounded-card border border-line bg-surface p-4">
      <div className="flex items-center gap-1">
        <h3 className="flex-1 font-strong text-control">{title}</h3>
        <IconButton label={removeLabel} onClick={onRemove}>
          <Trash2 aria-hidden size={16} />
        </IconButton>
      </div>
      {children}
    </li>
  );
}
