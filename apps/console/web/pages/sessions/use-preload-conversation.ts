import { useRouter } from '@tanstack/react-router';

const ROUTES = ['/signed-in', '/signed-in/sessions/$sessionId'] as const;

export function usePreloadConversation(): () => void {
  const router = useRouter();
  return () => {
    const pages = ROUTES.map(async (id) => await router.loadRouteChunk(router.routesById[id]));
    // The page that needs the code reports that it cannot be loaded.
    Promise.all([...pages, preloadRoom()]).catch(() => {});
  };
}

async function preloadRoom(): Promise<void> {
  const { browserRoom } = await import('@session/client/browser');
  browserRoom().prepare();
}
