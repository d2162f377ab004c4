import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { auditFiltersOf } from '../pages/audit/audit-filters.ts';
import { searchFiltersOf } from '../pages/search/search-filters.ts';
import { sessionSearchOf } from '../pages/session/session-search.ts';
import { filtersOf } from '../pages/sessions/session-filters.ts';
import { ownPath } from '../service/own-path.ts';
import { loadSignInMethods } from '../service/provider-sign-in.ts';
import type { ConsoleService } from '../service/service.ts';
import { RouteError } from './route-error.tsx';
import { RoutePending } from './route-pending.tsx';

// The pages are loaded when they are needed. Imported above are what every first page needs, and `RouteError`, which reports
// that other code could not be loaded.
const NotFoundPage = lazyRouteComponent(
  () => import('../pages/not-found/not-found-page.tsx'),
  'NotFoundPage',
);

const SignInPage = lazyRouteComponent(
  () => import('../pages/sign-in/sign-in-page.tsx'),
  'SignInPage',
);
const Shell = lazyRouteComponent(() => import('./shell.tsx'), 'Shell');

export function preloadFirstPage(isSignedIn: boolean): void {
  void (isSignedIn ? Shell : SignInPage).preload?.();
}

const root = createRootRouteWithContext<ConsoleService>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

interface SignInSearch {
  readonly from?: string;
}

const signInSearch = ({ from }: Record<string, unknown>): SignInSearch => {
  const path = ownPath(from);
  return path === '/' ? {} : { from: path };
};

const signedOut = createRoute({
  getParentRoute: () => root,
  id: 'signed-out',
  validateSearch: signInSearch,
  beforeLoad: ({ context, search }) => {
    if (context.signIn.token()) throw redirect({ href: ownPath(search.from), replace: true });
  },
});

const signIn = createRoute({
  getParentRoute: () => signedOut,
  path: '/sign-in',
  loader: ({ context }) => loadSignInMethods(context),
  component: SignInPage,
});

/** Outside of `signedOut`, which would redirect a person who signs in again. */
const provider = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/provider',
  component: lazyRouteComponent(() => import('../pages/sign-in/provider-page.tsx'), 'ProviderPage'),
});

const signUp = createRoute({
  getParentRoute: () => signedOut,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-up-page.tsx'), 'SignUpPage'),
});

const forgotten = createRoute({
  getParentRoute: () => signedOut,
  path: '/forgotten-password',
  component: lazyRouteComponent(
    () => import('../pages/sign-in/forgotten-page.tsx'),
    'ForgottenPage',
  ),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(
    () => import('../pages/sign-in/reset-password-page.tsx'),
    'ResetPasswordPage',
  ),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(
    () => import('../pages/invitation/invitation-page.tsx'),
    'InvitationPage',
  ),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ context, location }) => {
    if (!context.signIn.token())
      throw redirect({
        to: '/sign-in',
        // A user who has signed out is not led back.
        search: context.signIn.reason === 'signed-out' ? {} : signInSearch({ from: location.href }),
        replace: true,
      });
  },
  component: Shell,
});

const projects = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  // Without `all`, a user with a single project goes straight to it.
  validateSearch: ({ all }: Record<string, unknown>): { readonly all?: true } =>
    all === true ? { all } : {},
  component: lazyRouteComponent(
    () => import('../pages/projects/projects-page.tsx'),
    'ProjectsPage',
  ),
});

const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('./project-frame.tsx'), 'ProjectFrame'),
});

const sessions = createRoute({
  getParentRoute: () => project,
  path: '/',
  validateSearch: filtersOf,
  component: lazyRouteComponent(
    () => import('../pages/sessions/sessions-page.tsx'),
    'SessionsPage',
  ),
});

const templates = createRoute({
  getParentRoute: () => project,
  path: '/templates',
  component: lazyRouteComponent(
    () => import('../pages/templates/templates-page.tsx'),
    'TemplatesPage',
  ),
});

const members = createRoute({
  getParentRoute: () => project,
  path: '/members',
  component: lazyRouteComponent(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
});

const keys = createRoute({
  getParentRoute: () => project,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
});

const webhooks = createRoute({
  getParentRoute: () => project,
  path: '/webhooks',
  component: lazyRouteComponent(
    () => import('../pages/webhooks/webhooks-page.tsx'),
    'WebhooksPage',
  ),
});

const webhook = createRoute({
  getParentRoute: () => project,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
});

const erasures = createRoute({
  getParentRoute: () => project,
  path: '/erasures',
  component: lazyRouteComponent(
    () => import('../pages/erasures/erasures-page.tsx'),
    'ErasuresPage',
  ),
});

const monitoring = createRoute({
  getParentRoute: () => project,
  path: '/monitoring',
  component: lazyRouteComponent(
    () => import('../pages/monitoring/monitoring-page.tsx'),
    'MonitoringPage',
  ),
});

const audit = createRoute({
  getParentRoute: () => project,
  path: '/audit',
  validateSearch: auditFiltersOf,
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
});

const search = createRoute({
  getParentRoute: () => project,
  path: '/search',
  validateSearch: searchFiltersOf,
  component: lazyRouteComponent(() => import('../pages/search/search-page.tsx'), 'SearchPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
});

const session = createRoute({
  getParentRoute: () => signedIn,
  path: '/sessions/$sessionId',
  validateSearch: sessionSearchOf,
  component: lazyRouteComponent(() => import('../pages/session/session-page.tsx'), 'SessionPage'),
});

const agent = createRoute({
  getParentRoute: () => signedIn,
  path: '/sessions/$sessionId/agents/$agentId',
  component: lazyRouteComponent(() => import('../pages/agent/agent-page.tsx'), 'AgentPage'),
});

const routes = root.addChildren([
  provider,
  signedOut.addChildren([signIn, signUp, forgotten]),
  resetPassword,
  invitation,
  signedIn.addChildren([
    projects,
    account,
    project.addChildren([
      sessions,
      search,
      templates,
      members,
      keys,
      webhooks,
      webhook,
      erasures,
      audit,
      monitoring,
    ]),
    session,
    agent,
  ]),
]);

export function createAppRouter(context: ConsoleService) {
  return createRouter({
    routeTree: routes,
    context,
    defaultPreload: 'intent',
    defaultPendingMs: 0,
    defaultPendingMinMs: 0,
    defaultErrorComponent: RouteError,
    defaultPendingComponent: RoutePending,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
}

export type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}
