import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * Returns the secret of a link, which is behind the `#` of the page's address, and removes it from there. The tab keeps it
 * for a reload, and for the return from signing in.
 */
export function useLinkSecret(name: string): {
  readonly secret: string | null;
  readonly forget: () => void;
} {
  const key = `session.${name}`;
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const [secret, setSecret] = useState(() => sessionStorage.getItem(key));
  if (hash !== '' && hash !== secret) setSecret(hash);
  useEffect(() => {
    if (hash === '') return;
    sessionStorage.setItem(key, hash);
    void navigate({ to: '.', hash: '', replace: true });
  }, [hash, key, navigate]);
  return { secret, forget: () => sessionStorage.removeItem(key) };
}
