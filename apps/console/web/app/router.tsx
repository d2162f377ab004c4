import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { NotFoundPage } from '../pages/not-found/not-found-page.tsx';
import type { Service } from '../service/service.ts';
import { Shell } from './shell.tsx';

const root = createRootRouteWithContext<Service>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-up-page.tsx'), 'SignUpPage'),
});

/** The pages of a user who is signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ context, location }) => {
    if (!context.signIn.token())
      throw redirect({ to: '/sign-in', search: { from: location.href } });
  },
  component: Shell,
});

const projects = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(
    () => import('../pages/projects/projects-page.tsx'),
    'ProjectsPage',
  ),
});

const sessions = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$projectId',
  component: lazyRouteComponent(
    () => import('../pages/sessions/sessions-page.tsx'),
    'SessionsPage',
  ),
});

const templates = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$projectId/templates',
  component: lazyRouteComponent(
    () => import('../pages/templates/templates-page.tsx'),
    'TemplatesPage',
  ),
});

const members = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$projectId/members',
  component: lazyRouteComponent(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
});

const monitoring = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$projectId/monitoring',
  component: lazyRouteComponent(
    () => import('../pages/monitoring/monitoring-page.tsx'),
    'MonitoringPage',
  ),
});

/** The panel beside a conversation, and the moment to open. Unknown values are ignored. */
export interface SessionSearch {
  readonly panel?: 'agent' | 'plan' | 'recording' | 'people';
  readonly at?: string;
}

const panels = ['agent', 'plan', 'recording', 'people'] as const;

const session = createRoute({
  getParentRoute: () => signedIn,
  path: '/sessions/$sessionId',
  validateSearch: ({ panel, at }: Record<string, unknown>): SessionSearch => ({
    ...panelOf(panel),
    ...(typeof at === 'string' ? { at } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/session/session-page.tsx'), 'SessionPage'),
});

const agent = createRoute({
  getParentRoute: () => signedIn,
  path: '/sessions/$sessionId/agents/$agentId',
  component: lazyRouteComponent(() => import('../pages/agent/agent-page.tsx'), 'AgentPage'),
});

const routes = root.addChildren([
  signIn,
  signUp,
  signedIn.addChildren([projects, sessions, templates, members, monitoring, session, agent]),
]);

/** Returns the console's router. */
export function createAppRouter(context: Service) {
  return createRouter({ routeTree: routes, context, defaultPreload: 'intent' });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

function panelOf(value: unknown): Pick<SessionSearch, 'panel'> {
  const panel = panels.find((name) => name === value);
  return panel ? { panel } : {};
}
