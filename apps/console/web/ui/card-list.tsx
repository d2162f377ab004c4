import type { ReactNode } from 'react';

interface CardListProps {
  /** `ol` for what has an order, `div` for what is no list. */
  readonly as?: 'ul' | 'ol' | 'div';
  readonly label?: string;
  readonly children: ReactNode;
}

/** A card whose rows have lines between them. */
export function CardList({ as: List = 'ul', label, children }: CardListProps) {
  return (
    <List
      aria-label={label}
      className="divide-y divide-line rounded-card border border-line bg-surface"
    >
      {children}
    </List>
  );
}
