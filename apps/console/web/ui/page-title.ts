import { useEffect } from 'react';

/** Names the document after the page, for the tab and the history of the browser. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sessions`;
  }, [title]);
}
