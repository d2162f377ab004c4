import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';

/** The claims about a person, by OpenID Connect's names. */
interface ProvidedClaims {
  readonly email?: string | undefined;
  readonly email_verified?: boolean | undefined;
  readonly name?: string;
}

export interface TestProviderOptions {
  readonly consoleUrl?: string;
  /** By default any free one. */
  readonly port?: number;
  /** The claims of the scope `email` that the identity token has too. By default, only the answer about the user has them. */
  readonly inToken?: readonly ('email' | 'email_verified')[];
}

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The variables of an API whose people sign in with this provider. */
  readonly env: Readonly<Record<string, string>>;
  /** The people, by the name with which they sign in at the provider, which is their subject too. */
  readonly people: Map<string, ProvidedClaims>;
  /** The error with which the provider refuses all codes from now on. */
  refusal: string | undefined;
  /** The addresses below the issuer that were asked for. */
  readonly asked: readonly string[];
  /** Signs a person in as a browser would, and returns what the provider sends to the console. */
  signIn(url: string, person: string): Promise<{ code: string; state: string }>;
}

const CLIENT_ID = 'session-service';
const CLIENT_SECRET = 'a secret of the tests';

/** Starts a real OpenID provider on loopback, whose only client is a service with a console at `consoleUrl`. */
export async function startTestProvider(options: TestProviderOptions = {}): Promise<TestProvider> {
  const { consoleUrl = 'https://console.example.org', port = 0, inToken = [] } = options;
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const redirectUri = `${consoleUrl}/sign-in/provider`;
  const people = new Map<string, ProvidedClaims>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] }],
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['of the tests'] },
    findAccount: (_, sub) => {
      const claims = people.get(sub);
      const inIdToken = Object.fromEntries(inToken.map((name) => [name, claims?.[name]]));
      const claimsOf = (use: string) => (use === 'id_token' ? inIdToken : claims);
      return claims && { accountId: sub, claims: (use) => ({ sub, ...claimsOf(use) }) };
    },
    // Nobody is asked for consent.
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc;
      const accountId = session?.accountId;
      if (!client || accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const asked: string[] = [];
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const { url = '' } = request;
    asked.push(url.split('?')[0] ?? '');
    if (url.startsWith('/token') && started.refusal !== undefined) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: started.refusal }));
      return;
    }
    const answer = url.startsWith('/interaction/')
      ? interact(provider, request, response)
      : handle(request, response);
    void answer.catch((error: unknown) => response.destroy(Error(String(error))));
  });
  const started: TestProvider = {
    issuer,
    refusal: undefined,
    env: {
      CONSOLE_URL: consoleUrl,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
    },
    people,
    asked,
    signIn: async (url, person) => await signInByHand(url, person, redirectUri),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      if (server.listening) {
        server.close();
        await once(server, 'close');
      }
    },
  };
  return started;
}

/** Shows the form of the provider, or takes what it sent. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html');
    response.end(
      '<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,"><main><h1>Provider</h1><form method="post"><label>Name <input name="login"></label> <button>Sign in</button> <button name="denied" value="1">Deny</button></form></main></html>',
    );
    return;
  }
  const form = new URLSearchParams(await text(request));
  const result = form.has('denied')
    ? { error: 'access_denied' }
    : { login: { accountId: form.get('login') ?? '' } };
  await provider.interactionFinished(request, response, result);
}

async function signInByHand(start: string, person: string, redirectUri: string) {
  const cookies = new Map<string, string>();
  let url = start;
  for (;;) {
    if (url.startsWith(redirectUri)) {
      const { searchParams } = new URL(url);
      return { code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? '' };
    }
    const isForm = url.includes('/interaction/');
    const answer = await fetch(url, {
      method: isForm ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: Array.from(cookies, (cookie) => cookie.join('=')).join('; ') },
      ...(isForm && { body: new URLSearchParams({ login: person }) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    url = new URL(next, url).href;
  }
}
