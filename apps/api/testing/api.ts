import * as db from '@session/db';
import '@fastify/jwt';
import '@fastify/sensible';
import type { MemberRole } from '@session/contract';
import type { InjectOptions, LightMyRequestResponse, RouteOptions } from 'fastify';
import type { DestinationStream } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { buildApp } from '../src/app.ts';
import { type Config, LAUNCHERS, loadConfig } from '../src/config.ts';
import { createDeps, type Deps } from '../src/deps.ts';
import { openPasswordHasher } from '../src/features/auth/password-hasher.ts';
import '../src/http/callers/authentication.ts';
import { EndedTokens } from '../src/http/callers/ended-tokens.ts';
import type { TimeLimits } from '../src/http/time-limits.ts';
import type { ZodApp } from '../src/http/zod-app.ts';
import { createKey, createParticipant } from './callers.ts';
import { findUndocumented } from './documented.ts';

/** The service's own twelve rounds would take a third of a second. */
const QUICK_ROUNDS = 4;
/** The password of every test user. `TEST_HASH` is its hash of `QUICK_ROUNDS`. */
export const TEST_PASSWORD = 'correct horse';
export const TEST_HASH = '$2b$04$z/TykLdxvybrL2tCsGlj6.q1UU2lJ12zL.Yj1rCy3sddIYYIbaY2y';

const ENV = {
  JWT_SECRET: 'a secret of the tests, 32 bytes or more',
  MEDIA_URL: 'ws://127.0.0.1:1',
  MEDIA_API_KEY: 'key',
  MEDIA_API_SECRET: 'another secret of the tests, of 32 bytes or more',
  LOG_LEVEL: 'silent',
};

/** A database that no API can reach, for tests that need none. */
export const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/none';

const LONG: TimeLimits = { requestMs: 30_000, statementMs: 30_000, serverMs: 30_000 };

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly token: string;
}

export interface TestApi extends AsyncDisposable {
  readonly app: ZodApp;
  readonly deps: Deps;
  /** All routes, including those for `HEAD` and the hidden ones. */
  readonly routes: readonly RouteOptions[];
  /** Creates a user of that name, without hashing a password. */
  createUser(name?: string): Promise<TestUser>;
  /** Creates a project of `owner` with the given members, and returns its id. */
  createProject(owner: TestUser, members?: [TestUser, MemberRole][]): Promise<string>;
  /** Creates an API key of the project, whose `token` is its secret. */
  createKey(projectId: string, role?: 'MEMBER' | 'ADMIN'): Promise<TestUser>;
  /** Creates an end user whom `issuer` lets into the session; `token` is that for the API. */
  createParticipant(issuer: TestUser, sessionId: string, externalId?: string): Promise<TestUser>;
  /** Creates an ACTIVE session of `maker`, in a new project unless `projectId` names one, and returns its id. */
  createSession(maker: TestUser, projectId?: string): Promise<string>;
  /** Throws if an answer since the last call was not among those that the documentation of its route lists. */
  expectDocumented(this: void): void;
  /** Sends a request with the token of `user`, and returns the answer. */
  inject(user: TestUser, request: InjectOptions): Promise<LightMyRequestResponse>;
}

export interface TestApiOptions {
  /** Instead of a media server that cannot be reached. */
  readonly media?: { readonly url: string; readonly apiKey: string; readonly apiSecret: string };
  /** Further variables of the configuration. */
  readonly env?: NodeJS.ProcessEnv;
  /** The launchers that `AGENT_LAUNCHER` can choose, instead of the API's own. */
  readonly launchers?: typeof LAUNCHERS;
  /** Receives the whole log, from level `debug`; without it nothing is logged. */
  readonly logStream?: DestinationStream;
  /** Dependencies that replace the real ones. */
  readonly deps?: Partial<Deps>;
  /** By default long enough that a busy machine changes no answer. */
  readonly timeLimits?: TimeLimits;
}

/**
 * Starts the whole API on the database at `databaseUrl`. It does not listen: tests use `inject`. Its disposal throws if an
 * answer was not among those that the documentation of its route lists.
 */
export async function startTestApi(
  databaseUrl: string,
  {
    media,
    env,
    launchers = LAUNCHERS,
    logStream,
    deps: given,
    timeLimits = LONG,
  }: TestApiOptions = {},
): Promise<TestApi> {
  await using stack = new AsyncDisposableStack();
  const mediaEnv = media && {
    MEDIA_URL: media.url,
    MEDIA_API_KEY: media.apiKey,
    MEDIA_API_SECRET: media.apiSecret,
  };
  const level = logStream && { LOG_LEVEL: 'debug' };
  const allEnv = { ...ENV, DATABASE_URL: databaseUrl, ...mediaEnv, ...level, ...env };
  const config = loadConfig(allEnv, launchers);
  const passwords = stack.use(openPasswordHasher(1, 16, QUICK_ROUNDS));
  const deps = {
    ...stack.use(createDeps(config, timeLimits)),
    passwords,
    ...(databaseUrl === UNREACHABLE && { endedTokens: stack.use(noEndedTokens(config.jwt)) }),
    ...given,
  };
  const routes: RouteOptions[] = [];
  const onRoute = (route: RouteOptions) => routes.push(route);
  const app = stack.use(await buildApp(deps, { onRoute, ...(logStream && { logStream }) }));
  const undocumented = findUndocumented(app);
  const expectDocumented = () => {
    const found = undocumented.splice(0);
    if (found.length > 0) throw new Error(`undocumented: ${found.join(', ')}`);
  };
  stack.defer(expectDocumented);
  const owned = stack.move();
  const createProject: TestApi['createProject'] = async (owner, members = []) => {
    const id = uuidv7();
    const project = { id, name: 'project', membershipId: uuidv7(), ownerId: owner.id };
    await db.insertProject(deps.database, project);
    for (const [user, role] of members) {
      const key = { id: uuidv7(), userId: user.id, projectId: id };
      await db.insertMembership(deps.database, { ...key, role });
    }
    return id;
  };
  return {
    app,
    deps,
    routes,
    async createUser(name = 'ana') {
      const id = uuidv7();
      const user = { id, email: `${name}-${id}@example.org`, name };
      await db.insertUser(deps.database, { ...user, passwordHash: TEST_HASH });
      return { ...user, token: app.jwt.sign({ sub: id }) };
    },
    expectDocumented,
    createProject,
    createParticipant: async (issuer, sessionId, externalId = uuidv7()) =>
      await createParticipant(app, issuer, sessionId, externalId),
    createKey: async (projectId, role = 'MEMBER') => await createKey(deps, projectId, role),
    async createSession(maker, projectId) {
      const id = uuidv7();
      const project = projectId ?? (await createProject(maker));
      const session = { id, projectId: project, name: 'session', createdBy: maker.id };
      await db.insertSession(deps.database, session);
      return id;
    },
    inject: async ({ token }, request) =>
      await app.inject({
        ...request,
        headers: { authorization: `Bearer ${token}`, ...request.headers },
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Replaces the ended tokens of a database that cannot be reached, because without a read no token would be accepted. */
function noEndedTokens({ lifetimeSeconds }: Config['jwt']): EndedTokens {
  const tokens = { listEndedTokens: listNone, listNewlyEndedTokens: listNone };
  return new EndedTokens({ tokens, lifetimeSeconds });
}

async function listNone(): Promise<[]> {
  return [];
}
