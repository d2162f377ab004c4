import { useEffect } from 'react';

/** Names the document after the page and what it is in, for the tab and the history of the browser. */
export function usePageTitle(title: string, within = 'Sessions'): void {
  useEffect(() => {
    document.title = `${title} · ${within}`;
  }, [title, within]);
}
