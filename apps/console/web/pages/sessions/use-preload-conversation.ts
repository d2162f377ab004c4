import { useRouter } from '@tanstack/react-router';

/** The frame of the pages, and the page of a session. */
const ROUTES = ['/signed-in', '/signed-in/sessions/$sessionId'] as const;

/** Returns a function that loads the code of a conversation's page ahead: while the user comes closer to it. */
export function usePreloadConversation(): () => void {
  const router = useRouter();
  return () => {
    const pages = ROUTES.map(async (id) => await router.loadRouteChunk(router.routesById[id]));
    // The page that needs it reports what cannot be loaded.
    Promise.all([...pages, preloadRoom()]).catch(() => {});
  };
}

async function preloadRoom(): Promise<void> {
  const { browserRoom } = await import('@session/client/browser');
  browserRoom().prepare();
}
