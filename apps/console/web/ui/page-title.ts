import { useEffect } from 'react';

export function usePageTitle(title: string, within = 'Sessions'): void {
  useEffect(() => {
    document.title = `${title} · ${within}`;
  }, [title, within]);
}
