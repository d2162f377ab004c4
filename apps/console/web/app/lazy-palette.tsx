import { type ComponentProps, useEffect, useState } from 'react';
import { toast } from '../ui/toast.tsx';
import type { Palette } from './palette.tsx';

let loaded: typeof Palette | undefined;

/**
 * Loads the palette when it is opened. If its code cannot be loaded, the page stays, because the user may be in a call. React's
 * `lazy` would throw.
 */
export function LazyPalette(props: ComponentProps<typeof Palette>) {
  const { onClose } = props;
  const [Loaded, setLoaded] = useState<typeof Palette | undefined>(() => loaded);
  useEffect(() => {
    let isOpen = true;
    const load = async () => {
      try {
        loaded ??= (await import('./palette.tsx')).Palette;
        if (isOpen) setLoaded(() => loaded);
      } catch {
        if (!isOpen) return;
        onClose();
        toast('The palette could not be loaded. Check the connection, or reload the page.');
      }
    };
    void load();
    return () => {
      isOpen = false;
    };
  }, [onClose]);
  return Loaded && <Loaded {...props} />;
}
