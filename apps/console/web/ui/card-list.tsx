import type { ReactNode } from 'react';

interface CardListProps {
  /** `div` for rows that are not items of a list. */
  readonly as?: 'ul' | 'ol' | 'div';
  readonly label?: string;
  readonly children: ReactNode;
}

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
